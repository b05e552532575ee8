//! A bad network: a proxy on loopback that delays, cuts, stalls and truncates traffic.
//!
//! It never changes or duplicates bytes, because TCP does not either; duplicates in practice are
//! messages that are sent again, and senders do that themselves.

use super::port;
use crate::Chance;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often each fault happens to a chunk: once in this many; 0 is never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Weather {
    /// The chunk is up to 20 ms late.
    pub delay: usize,
    /// Both directions are cut.
    pub cut: usize,
    /// Half of the chunk arrives, then both directions are cut.
    pub truncate: usize,
    /// Nothing more passes in this direction, without an error.
    pub stall: usize,
}

/// A proxy. Dropping it cuts everything.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    to: u16,
    weather: Weather,
    chance: Mutex<Chance>,
    is_calm: AtomicBool,
    is_over: AtomicBool,
    faults: AtomicU64,
    open: Mutex<Vec<TcpStream>>,
}

/// What happens to a chunk.
enum Fate {
    Pass,
    Delay(Duration),
    Cut,
    Truncate,
    Stall,
}

impl Proxy {
    /// Forwards to a port of loopback.
    #[must_use]
    pub fn start(to: u16, weather: Weather, chance: Chance) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port::free())).unwrap();
        Self::from(listener, to, weather, chance)
    }

    /// Forwards from a listener, which may be in another network, to a port of our own loopback.
    #[must_use]
    pub fn from(listener: TcpListener, to: u16, weather: Weather, chance: Chance) -> Self {
        let port = listener.local_addr().unwrap().port();
        let inner = Arc::new(Inner {
            to,
            weather,
            chance: Mutex::new(chance),
            is_calm: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            faults: AtomicU64::new(0),
            open: Mutex::default(),
        });
        let shared = Arc::clone(&inner);
        std::thread::spawn(move || accept(&listener, &shared));
        Self { port, inner }
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The number of faults so far.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.inner.faults.load(Ordering::Relaxed)
    }

    /// Stops all faults.
    pub fn calm(&self) {
        self.inner.is_calm.store(true, Ordering::Relaxed);
        self.cut();
    }

    /// Cuts every connection.
    pub fn cut(&self) {
        let mut open = self.inner.open.lock().unwrap_or_else(PoisonError::into_inner);
        for stream in open.drain(..) {
            // The connection may be closed already.
            stream.shutdown(Shutdown::Both).ok();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.inner.is_over.store(true, Ordering::Relaxed);
        // Wakes the accepting thread.
        TcpStream::connect(("127.0.0.1", self.port)).ok();
        self.cut();
    }
}

fn accept(listener: &TcpListener, inner: &Arc<Inner>) {
    for client in listener.incoming().flatten() {
        if inner.is_over.load(Ordering::Relaxed) {
            return;
        }
        // A server that is down closes the connection at once, as it would itself.
        let Ok(server) = TcpStream::connect(("127.0.0.1", inner.to)) else { continue };
        carry(&client, &server, inner);
        carry(&server, &client, inner);
        let mut open = inner.open.lock().unwrap();
        open.extend([client, server]);
    }
}

fn carry(from: &TcpStream, to: &TcpStream, inner: &Arc<Inner>) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let inner = Arc::clone(inner);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let piece = &buffer[..read];
            match inner.fate() {
                Fate::Pass => {}
                Fate::Delay(delay) => std::thread::sleep(delay),
                Fate::Cut => break,
                Fate::Truncate => {
                    to.write_all(&piece[..read / 2]).ok();
                    break;
                }
                Fate::Stall => {
                    swallow(&mut from, &mut buffer);
                    break;
                }
            }
            if to.write_all(piece).is_err() {
                break;
            }
        }
        from.shutdown(Shutdown::Both).ok();
        to.shutdown(Shutdown::Both).ok();
    });
}

/// Reads everything and forwards nothing, until the sender gives up.
fn swallow(from: &mut TcpStream, buffer: &mut [u8]) {
    while let Ok(1..) = from.read(buffer) {}
}

impl Inner {
    fn fate(&self) -> Fate {
        if self.is_calm.load(Ordering::Relaxed) {
            return Fate::Pass;
        }
        let mut chance = self.chance.lock().unwrap();
        let mut comes = |times: usize| times > 0 && chance.one_in(times);
        let fate = if comes(self.weather.cut) {
            Fate::Cut
        } else if comes(self.weather.truncate) {
            Fate::Truncate
        } else if comes(self.weather.stall) {
            Fate::Stall
        } else if comes(self.weather.delay) {
            Fate::Delay(Duration::from_millis(chance.bits() % 20))
        } else {
            return Fate::Pass;
        };
        self.faults.fetch_add(1, Ordering::Relaxed);
        fate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    let mut buffer = [0; 1024];
                    while let Ok(read @ 1..) = stream.read(&mut buffer) {
                        if stream.write_all(&buffer[..read]).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        port
    }

    /// How many of eight bytes come back.
    fn said_back(weather: Weather) -> usize {
        let proxy = Proxy::start(echo(), weather, Chance::new(1));
        let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        stream.write_all(b"12345678").unwrap();
        let (mut all, mut buffer) = (0, [0; 8]);
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            all += read;
        }
        all
    }

    #[test]
    fn the_weather_decides_what_arrives() {
        let clear = Weather::default();
        assert_eq!(said_back(clear), 8);
        assert_eq!(said_back(Weather { delay: 1, ..clear }), 8);
        assert_eq!(said_back(Weather { cut: 1, ..clear }), 0);
        assert_eq!(said_back(Weather { stall: 1, ..clear }), 0);
        // Half of the bytes arrive, and both directions are cut.
        assert!(said_back(Weather { truncate: 1, ..clear }) < 8);
    }

    #[test]
    fn calm_weather_lets_everything_pass() {
        let proxy = Proxy::start(echo(), Weather { cut: 1, ..Weather::default() }, Chance::new(1));
        proxy.calm();
        let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap();
        stream.write_all(b"1234").unwrap();
        let mut back = [0; 4];
        stream.read_exact(&mut back).unwrap();
        assert_eq!(&back, b"1234");
        assert_eq!(proxy.faults(), 0);
    }
}
