//! Reads one source: the step that a pass over all sources and a watcher share.

use crate::copier::{CapturePolicy, Copier};
use crate::sink::PieceSink;
use taffrail_adapters::Adapter;
use taffrail_capture::{Flow, Job, Reading, Texts, read};
use taffrail_model::journal::scope_in;
use taffrail_model::observed::Observed;
use taffrail_store::archive::Packer;

/// What is the same for every source of a pass or a scan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceReader<'a> {
    pub(crate) device: &'a str,
    pub(crate) texts: Texts,
    pub(crate) rules: &'a CapturePolicy,
}

impl SourceReader<'_> {
    /// Archives a source, forwards its pieces and repacks its copy. Returns what failed.
    pub(crate) fn read(
        &self,
        job: &Job,
        packer: &mut Packer,
        give: impl FnMut(Box<Observed>) -> Flow,
    ) -> Vec<String> {
        let found = &job.found;
        let scope = scope_of(self.device, found.adapter, (&found.home, &found.path));
        let how = Reading { scope: &scope, texts: self.texts };
        let mut sink = PieceSink { keeping: Copier::new(self.rules, job, packer), give };
        let failed = read(job, how, &mut sink).err().map(|error| error.to_string());
        let kept = sink.keeping.problem();
        let packed = self.rules.repack(job, packer).err().map(|it| it.to_string());
        failed.into_iter().chain(kept).chain(packed).collect()
    }
}

/// The scope in which an agent's session ids are unique: global, or one file of one device.
pub(crate) fn scope_of(device: &str, adapter: &dyn Adapter, (home, path): (&str, &str)) -> String {
    if adapter.descriptor().scoped_ids {
        scope_in(device, &format!("{home}/{path}"))
    } else {
        String::new()
    }
}
