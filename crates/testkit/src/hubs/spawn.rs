//! Starts servers that end with the test's process, however it ends.

use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

type Order = (Command, Sender<Child>);

static SPAWNER: OnceLock<Sender<Order>> = OnceLock::new();

/// Starts a program that is killed with this process.
///
/// The kernel sends the signal when the starting thread ends, so one thread that never ends starts
/// them all.
pub(crate) fn tied(program: &str, arguments: &[String]) -> Child {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", program]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let (answer, child) = channel();
    spawner().send((command, answer)).unwrap();
    child.recv().unwrap_or_else(|_| panic!("{program} could not be started with `setpriv`"))
}

fn spawner() -> &'static Sender<Order> {
    SPAWNER.get_or_init(|| {
        let (sender, orders) = channel::<Order>();
        std::thread::spawn(move || {
            for (mut command, answer) in orders {
                if let Ok(child) = command.spawn() {
                    answer.send(child).ok();
                }
            }
        });
        sender
    })
}
