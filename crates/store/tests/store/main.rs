//! What must hold of the store whatever it is given, tested through its public face.

#[cfg(test)]
mod bindings;
#[cfg(test)]
mod builder;
#[cfg(test)]
mod counting;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod finals;
#[cfg(test)]
mod forks;
#[cfg(test)]
mod locks;
#[cfg(test)]
mod numbering;
#[cfg(test)]
mod once;
#[cfg(test)]
mod places;
#[cfg(test)]
mod symptoms;
#[cfg(test)]
mod tally;
#[cfg(test)]
mod work;
