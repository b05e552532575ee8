//! What must hold of the archive whatever it is given, tested through its public face.

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
