//! What CCBP says that it decided.

use crate::interface::decision::{count, list, topics};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

topics! {
    MeasuringCtas "ctas", "CTAs that a kernel may hold on each SM while it is measured" {
        ctas: u32, "CTAs per SM", "At most so many";
        alone: u32, "CTAs per SM", "What an SM holds of the kernel alone";
        kernels: u32, "kernels", "Kernels that share";
    } => format!("may hold {} on each SM while it is measured: its {alone} alone, shared by {kernels}", count(*ctas, "CTA"));

    Requests "requests", "What a kernel's requests are, and how many of them an even share of bandwidth buys" {
        rf: f64, "of its requests", "Reads";
        df: f64, "accesses per request", "DRAM accesses that each needs";
        even_rate: Option<f64>, "requests per interval and SM", "What an even share buys; missing for a kernel that pays for none";
    } => {
        let share = match even_rate {
            Some(rate) => format!("an even share buys {rate:.1} requests an interval on each SM"),
            None => "it uses no bandwidth worth limiting".into(),
        };
        format!("reads are {rf:.2} of its requests (rf), each needs {df:.2} DRAM accesses (df): {share}")
    };

    Typed "kernel_type", "The type of a kernel by its demand (CCBP §5.4)" {
        kernel_type: &'static str, "", "latency-sensitive, NoC-intensive or DRAM-intensive";
        demand: f64, "requests per interval and SM", "What it sends, held to an even share; by the reading `backlog` with what waits";
        even_rate: Option<f64>, "requests per interval and SM", "What an even share buys; missing for a kernel that pays for none";
        ratio: Option<f64>, "", "df over rf; missing for a kernel that only writes, or is latency-sensitive";
        threshold: f64, "", "The ratio below which a kernel is NoC-intensive";
    } => {
        let wants = match even_rate {
            Some(rate) => format!("wants {demand:.1} requests an interval, even share {rate:.1}"),
            None => format!("wants {demand:.1} requests an interval and pays for none"),
        };
        match (ratio, *kernel_type) {
            (_, "latency-sensitive") => format!("is {kernel_type}: {wants}"),
            (None, _) => format!("is {kernel_type}: it only writes; {wants}"),
            (Some(ratio), "NoC-intensive") => format!("is {kernel_type}: df/rf {ratio:.3} < {threshold:.3}; {wants}"),
            (Some(ratio), _) => format!("is {kernel_type}: df/rf {ratio:.3} ≥ {threshold:.3}; {wants}"),
        }
    };

    DemandPerCta "demand_per_cta", "Bandwidth that each CTA of a kernel uses" {
        noc: f64, "units", "Of the NoC";
        dram: f64, "units", "Of DRAM";
        units: u32, "units", "All of each";
    } => format!("uses {noc:.1} NoC and {dram:.1} DRAM units of {units} with each CTA");

    DemandCurve "demand_curve", "Bandwidth that a kernel uses by its CTAs, where it was measured" {
        ctas: Vec<u32>, "CTAs per SM", "The numbers of CTAs";
        noc: Vec<f64>, "units", "Of the NoC, with each of them";
        dram: Vec<f64>, "units", "Of DRAM, with each of them";
        units: u32, "units", "All of each";
    } => {
        let points = ctas.iter().zip(noc).zip(dram);
        let points = list(points.map(|((ctas, noc), dram)| format!("{} {noc:.1} NoC and {dram:.1} DRAM", count(*ctas, "CTA"))));
        format!("learned its bandwidth, units of {units}: {points}")
    };

    GrantedCtas "ctas", "CTAs that a kernel gets on each SM together with bandwidth" {
        ctas: u32, "CTAs per SM", "At most so many";
    } => format!("gets {} on each SM", count(*ctas, "CTA"));

    Bandwidth "bandwidth", "Bandwidth that a kernel gets, and the requests that it buys" {
        noc: f64, "units", "Of the NoC";
        dram: f64, "units", "Of DRAM";
        units: u32, "units", "All of each";
        requests: Option<f64>, "requests per interval and SM", "What may leave the miss queue; missing without a limit";
    } => match requests {
        Some(requests) => format!("gets {noc:.1} NoC and {dram:.1} DRAM units of {units}: {requests:.1} requests an interval on each SM"),
        None => "sends requests without limit".into(),
    };

    TriedPriority "priority", "What a priority of latency-sensitive kernels gives (CCBP §5.5)" {
        priority: f64, "", "Factor on the dominant share of latency-sensitive kernels";
        metric: &'static str, "", "hspeedup";
        score: f64, "", "The metric with it";
        best: Option<f64>, "", "The best score before";
    } => {
        let best = best.map_or(String::new(), |best| format!(", best so far {best:.3}"));
        format!("priority {priority:.2} gives HSpeedup {score:.3}{best}")
    };

    BestPriority "priority", "The priority that is best, and stays" {
        priority: f64, "", "Factor on the dominant share of latency-sensitive kernels";
        metric: &'static str, "", "hspeedup";
        score: f64, "", "The metric with it";
    } => format!("settled: priority {priority:.2} is best with HSpeedup {score:.3}");

    KeptPriority "priority", "A priority that stays without others being tried" {
        priority: f64, "", "Factor on the dominant share of latency-sensitive kernels";
        why: &'static str, "", "no_latency_sensitive, all_latency_sensitive, variant or no_ipc_alone";
    } => match *why {
        "no_latency_sensitive" => "settled: no kernel is latency-sensitive: a priority would change nothing".into(),
        "all_latency_sensitive" => "settled: all kernels are latency-sensitive: a priority would change nothing".into(),
        "variant" => format!("settled: the priority stays {priority:.2}, as the variant says"),
        _ => format!("settled: IPC alone is not known: the priority stays {priority:.2}"),
    };
}
