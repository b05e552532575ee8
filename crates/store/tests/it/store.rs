//! Properties of the store for any input, tested through its public API.

#[cfg(test)]
mod bindings;
#[cfg(test)]
mod builder;
#[cfg(test)]
mod carried;
#[cfg(test)]
mod costs;
#[cfg(test)]
mod counts;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod finals;
#[cfg(test)]
mod forks;
#[cfg(test)]
mod locks;
#[cfg(test)]
mod log;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod once;
#[cfg(test)]
mod outline;
#[cfg(test)]
mod prompt_history;
#[cfg(test)]
mod quality;
#[cfg(test)]
mod quotas;
#[cfg(test)]
mod sequences;
#[cfg(test)]
mod source_moves;
#[cfg(test)]
mod symptoms;
#[cfg(test)]
mod tally;
#[cfg(test)]
mod work;
