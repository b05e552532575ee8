//! Where extensions of editors keep their files. A macro, because a path in a descriptor is a literal.

/// The homes of an extension: below the storage of each editor that may run it.
macro_rules! editor_homes {
    ($extension:literal; $($editor:literal),+ $(; $more:expr)*) => {
        &[
            $(&[
                HomeRule::env("XDG_CONFIG_HOME", concat!($editor, "/User/globalStorage/", $extension))
                    .on(Os::Linux),
                HomeRule::user(concat!(".config/", $editor, "/User/globalStorage/", $extension))
                    .on(Os::Linux),
                HomeRule::user(concat!(
                    "Library/Application Support/", $editor, "/User/globalStorage/", $extension
                ))
                .on(Os::MacOs),
                HomeRule::env("APPDATA", concat!($editor, "/User/globalStorage/", $extension))
                    .on(Os::Windows),
            ],)+
            &[HomeRule::user(concat!(".vscode-server/data/User/globalStorage/", $extension))],
            $(&[$more],)*
        ]
    };
}
pub(crate) use editor_homes;
