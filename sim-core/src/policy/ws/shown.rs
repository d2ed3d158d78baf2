//! What people watch of the combination: the curves with the points that were chosen, and every turn of the filling.

use super::fill::{filled, level};
use crate::describe::ids::KernelId;
use crate::describe::value::Value;
use crate::interface::observation::Observation;
use crate::interface::shown::{Column, Row, Table};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A turn: whose it is, what refuses its step, CTAs after it.
type Turn = (usize, Option<&'static str>, Vec<u32>);

/// The tables of a combination that follows from these curves. CTAs were worked out from the same numbers when the policy chose.
pub fn combination(curves: &[Vec<f64>], seen: &Observation) -> Vec<Table> {
    let of_class = |sm: u32| {
        let mut turns: Vec<Turn> = Vec::new();
        let ctas = filled(curves, sm as usize, seen, |kernel, refused, ctas| turns.push((kernel, refused, ctas.to_vec())));
        (ctas, turns)
    };
    let classes: Vec<(Vec<u32>, Vec<Turn>)> = seen.gpu.class_sms().into_iter().map(|sms| of_class(sms.start)).collect();
    alloc::vec![curves_shown(curves, &classes, seen), turns_shown(curves, &classes, seen)]
}

/// The name of a class, where there are several.
fn class<'a>(seen: &Observation<'a>, of: usize) -> Option<&'a str> {
    (seen.gpu.sms.len() > 1).then(|| seen.gpu.sms[of].name.as_str())
}

fn curves_shown(curves: &[Vec<f64>], classes: &[(Vec<u32>, Vec<Turn>)], seen: &Observation) -> Table {
    let chosen = |kernel: usize, ctas: u32| {
        let on = classes.iter().enumerate().filter(|(_, (granted, _))| granted[kernel].max(1) == ctas);
        let names: Vec<&str> = on.map(|(of, _)| class(seen, of).unwrap_or("chosen")).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let row = |ctas: u32| {
        let cells = curves.iter().enumerate().flat_map(|(kernel, curve)| {
            let ipc = curve.get(ctas as usize - 1).copied();
            [ipc.into(), ipc.map(|_| level(curve, ctas)).into(), Value::from(chosen(kernel, ctas))]
        });
        Row { name: ctas.into(), kernel: None, cells: cells.collect() }
    };
    let granted = classes.iter().flat_map(|(granted, _)| granted.iter().map(|&ctas| ctas.max(1)));
    let most = curves.iter().map(|curve| curve.len() as u32).chain(granted).max().unwrap_or(0);
    Table {
        key: "ws_curves",
        title: "Curves of IPC by CTAs, and the partition".into(),
        doc: "The partition has the highest least part of each kernel's best IPC (Warped-Slicer, ISCA 2016, as read by CCBP §7.1)",
        row: "CTAs",
        course: None,
        columns: Column::for_each(
            curves.len(),
            &[
                ("IPC", "", "Thread instructions per cycle with so many CTAs on every SM"),
                ("Part", "of its best", "That IPC as a part of the best on the curve"),
                ("Partition", "", "The CTAs that it gets on each SM, or on each SM of a class"),
            ],
        ),
        rows: (1..=most).map(row).collect(),
    }
}

fn turns_shown(curves: &[Vec<f64>], classes: &[(Vec<u32>, Vec<Turn>)], seen: &Observation) -> Table {
    let of_class = |(of, (_, turns)): (usize, &(Vec<u32>, Vec<Turn>))| {
        let row = |(turn, (kernel, refused, ctas)): (usize, &Turn)| {
            let name = match class(seen, of) {
                Some(name) => format!("{name} {}", turn + 1).into(),
                None => (turn + 1).into(),
            };
            let of_each = ctas.iter().zip(curves).flat_map(|(&ctas, curve)| [ctas.into(), Value::from(level(curve, ctas))]);
            Row { name, kernel: Some(KernelId(*kernel as u8)), cells: [Value::from(*refused)].into_iter().chain(of_each).collect() }
        };
        turns.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    Table {
        key: "ws_filling",
        title: String::from("Water filling, turn by turn"),
        doc: "All begin with one CTA. Each turn, the kernel with the least part of its best IPC takes its next step, or grows no more \
              (Warped-Slicer, ISCA 2016)",
        row: "Turn",
        course: None,
        columns: [Column::of("Refused by", "", "What ends the kernel's growth")]
            .into_iter()
            .chain(Column::for_each(
                curves.len(),
                &[("CTAs", "per SM", "CTAs that it has after the turn"), ("Part", "of its best", "IPC with these, as a part of the best")],
            ))
            .collect(),
        rows: classes.iter().enumerate().flat_map(of_class).collect(),
    }
}
