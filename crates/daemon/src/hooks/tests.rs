//! Hooks go in and come out, whatever the file looks like.
