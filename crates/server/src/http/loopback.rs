//! The loopback address, for browsers.

use axum::Router;
use axum::serve::ListenerExt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener as StdListener};
use taffrail_daemon::ServeError;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Binds an address that only this machine can reach, and returns it.
pub(super) fn bind(address: SocketAddr) -> Result<(StdListener, SocketAddr), ServeError> {
    let here = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    if !here.contains(&address.ip()) {
        return Err(ServeError::NotLoopback(address));
    }
    let told = |error| ServeError::Io(address.to_string(), error);
    let listener = StdListener::bind(address).map_err(told)?;
    listener.set_nonblocking(true).map_err(told)?;
    let bound = listener.local_addr().map_err(told)?;
    Ok((listener, bound))
}

/// Serves until stopped. Call this inside the runtime.
pub(super) fn serve(
    listener: StdListener,
    router: Router,
    mut stops: watch::Receiver<bool>,
) -> Result<impl Future<Output = ()> + Send + 'static, ServeError> {
    let listener = TcpListener::from_std(listener);
    let listener = listener.map_err(|error| ServeError::Io("loopback".to_owned(), error))?;
    let listener = listener.tap_io(|stream| {
        // Without this, small messages arrive a little later.
        stream.set_nodelay(true).ok();
    });
    Ok(async move {
        let stop = async move {
            // A dropped sender means the same.
            stops.wait_for(|it| *it).await.ok();
        };
        // Serving itself never fails.
        axum::serve(listener, router).with_graceful_shutdown(stop).await.ok();
    })
}
