//! The words of vendors: what a policy with its settings is called by who shares GPUs, such as "MIG 3g.20gb + 4g.20gb".

use super::scheme::{Member, Setting};
use super::spec::PolicySpec;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How a vendor calls a policy.
#[derive(Debug)]
pub struct Word {
    /// The policy.
    pub policy: &'static str,
    /// What titles begin with.
    pub head: &'static str,
    /// Parameters, of which the first that is given goes on, and what stands behind its values.
    pub values: &'static [(&'static str, &'static str)],
    /// What the vendor calls the setting.
    pub setting: &'static str,
    /// What is modelled, and what not.
    pub note: &'static str,
}

/// Every policy that is a vendor's way to share.
pub static WORDS: &[Word] = &[
    Word {
        policy: "mps",
        head: "MPS",
        values: &[("percentage", " %")],
        setting: "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
        note: "The percentage limits the SMs that a kernel may use and reserves none; L2, NoC and DRAM are shared. Which SMs a client gets is not \
               published.",
    },
    Word {
        policy: "mig",
        head: "MIG",
        values: &[("profiles", "")],
        setting: "nvidia-smi mig -cgi",
        note: "Each kernel has SMs, L2 slices and DRAM channels of its own, so that they meet nowhere. Not modelled: power, copy engines, L2 of a \
               profile with double memory.",
    },
    Word {
        policy: "green-context",
        head: "Green contexts",
        values: &[("sms", " SMs")],
        setting: "cuDevSmResourceSplitByCount",
        note: "Disjoint SMs in the steps that the driver grants; L2, NoC and DRAM are shared. Contexts that overlap on purpose are not modelled.",
    },
    Word {
        policy: "time-slice",
        head: "Time slicing",
        values: &[("slice", " cycles"), ("slice_ms", " ms"), ("timeslice", "")],
        setting: "nvidia-smi compute-policy --set-timeslice",
        note: "The whole GPU in turns. What a switch costs follows from the contexts, which travel through NoC and DRAM. The vendor does not publish \
               how long a slice is.",
    },
    Word {
        policy: "priority",
        head: "Stream priority",
        values: &[("level", "")],
        setting: "cudaStreamCreateWithPriority",
        note: "CTAs of the stream with the higher priority go first wherever they fit; the others take what these cannot use. No CTA that runs is \
               stopped.",
    },
];

/// What people call a policy with its settings: the vendor's words where it is a vendor's, the policies' titles where not.
pub fn title(policy: &PolicySpec) -> String {
    policy.members().iter().map(titled).collect::<Vec<_>>().join(" + ")
}

fn titled(member: &Member) -> String {
    let Some(word) = WORDS.iter().find(|word| word.policy == member.name()) else { return member.info().title.into() };
    let said = word.values.iter().find_map(|&(param, unit)| Some(format!("{} {}", word.head, said(member.get(param), unit)?)));
    said.unwrap_or_else(|| word.head.into())
}

/// A whole number from 0 on with its thousands apart.
fn grouped(number: i64) -> String {
    let (above, below) = (number / 1000, number % 1000);
    if above > 0 { format!("{},{below:03}", grouped(above)) } else { below.to_string() }
}

/// Values as titles have them: alike ones once.
fn said(setting: &Setting, unit: &str) -> Option<String> {
    let each = match setting {
        Setting::Ints(numbers) => numbers.iter().map(|&number| grouped(number.into())).collect(),
        Setting::Signed(numbers) => numbers.iter().map(|&number| grouped(number)).collect(),
        Setting::Numbers(numbers) => numbers.iter().map(ToString::to_string).collect(),
        Setting::Texts(texts) => texts.clone(),
        Setting::Int(number) => alloc::vec![grouped(*number)],
        Setting::Number(number) => alloc::vec![number.to_string()],
        Setting::Choice(name) => alloc::vec![name.to_string()],
        _ => return None,
    };
    Some(match &each[..] {
        [first, others @ ..] if !others.is_empty() && others.iter().all(|other| other == first) => format!("{first}{unit} each"),
        all => format!("{}{unit}", all.join(" + ")),
    })
}
