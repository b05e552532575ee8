//! Properties of the archive for any input, tested through its public API.

#[cfg(test)]
mod appends;
#[cfg(test)]
mod bench;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod editions;
#[cfg(test)]
mod folder;
#[cfg(test)]
mod gaps;
#[cfg(test)]
mod upkeep;
#[cfg(test)]
mod whole;
