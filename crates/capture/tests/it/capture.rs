//! Capture on a real file system, with the real adapters.

#[cfg(test)]
mod database;
#[cfg(test)]
mod discovery;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod read;
#[cfg(test)]
mod readback;
#[cfg(test)]
mod symptoms;
#[cfg(test)]
mod world;
