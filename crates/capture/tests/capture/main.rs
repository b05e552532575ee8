//! What must hold of capture on a real file system, with the real adapters.

#[cfg(test)]
mod back;
#[cfg(test)]
mod database;
#[cfg(test)]
mod discovery;
#[cfg(test)]
mod planning;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod shelf;
#[cfg(test)]
mod symptoms;
