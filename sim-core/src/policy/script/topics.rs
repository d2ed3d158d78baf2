//! What is said of a script.

use crate::interface::controls::CONTROLS;
use crate::interface::decision::{count, topics};
use alloc::format;
use alloc::string::String;

topics! {
    ControlSet "set", "A control that a script has set" {
        control: &'static str, "", "The control";
        value: String, "", "What it is now, as controls write it; where SMs differ, the first of them";
        sms: u32, "SMs", "On how many SMs it has changed; 0 for a control that is not of an SM";
    } => {
        let title = CONTROLS.iter().find(|one| one.field.name == *control).map_or(*control, |one| one.title);
        let value = if value == "null" { "no limit" } else { value.as_str() };
        match sms {
            0 => format!("{title}: {value}"),
            sms => format!("{title}: {value}, on {}", count(*sms, "SM")),
        }
    };

    Said "said", "What a script says" {
        text: String, "", "Its words";
    } => text.clone();

    Failed "failure", "That a script has failed: the run ends" {
        failure: String, "", "The line, and what is wrong";
    } => format!("the script has failed: {failure}");
}
