//! The programs of the IKRA paper: are they those of its Tables 1 and 3?

use sim_core::describe::error::Problems;
use sim_core::describe::kernel::{Dim3, Kernel, library, validate};
use sim_core::study::dependence::{Dependence, dependence};

fn find(name: &str) -> Kernel {
    library::find(&format!("ikra/{name}")).expect(name)
}

/// KB of the launches, each size once.
fn kilobytes(found: &Dependence) -> Vec<f64> {
    let mut sizes: Vec<f64> = found.launches.iter().map(|launch| launch.bytes as f64 / 1024.0).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes
}

/// Table 3: CTAs of every launch.
#[test]
fn grids_are_those_of_table_3() {
    let grids = |name: &str| find(name).grids().map(Dim3::ctas).collect::<Vec<_>>();
    for (name, launches, ctas) in [
        ("HS", 20, 361),
        ("KM", 10, 391),
        ("PF", 10, 394),
        ("SD2", 20, 1024),
        ("ST", 10, 64),
        ("LM", 1, 8),
        ("NN", 1, 669),
        ("SG", 1, 496),
        ("BP", 2, 2048),
        ("DJ1", 20, 66),
        ("DJ2", 60, 345),
        ("CL1", 33, 66),
        ("CL2", 25, 345),
        ("MI1", 19, 66),
        ("MI2", 19, 345),
        ("PR1", 41, 66),
        ("PR2", 41, 345),
    ] {
        assert_eq!(grids(name), vec![ctas; launches], "{name}");
    }
    assert_eq!(grids("CP"), [1024, 512]);
    let sd1 = grids("SD1");
    assert_eq!((sd1.len(), sd1.iter().filter(|&&ctas| ctas == 1).count(), sd1.iter().filter(|&&ctas| ctas == 128).count()), (52, 10, 42));
    assert_eq!(grids("NW"), (1..=63).chain((1..=62).rev()).collect::<Vec<_>>());
    let mut lud: Vec<u32> = (1..=47).rev().flat_map(|k| [1, k, k * k]).collect();
    lud.push(1);
    assert_eq!(grids("LUD"), lud);
}

/// Table 3: what each launch reads and writes, in KB of 1024 bytes, as printed or as the source has it (docs/reference/kernels-ikra.md).
#[test]
fn bytes_are_those_of_table_3() {
    for (name, launches, want) in [
        ("HS", 2, vec![768.0]),
        // 5 centres more than the printed 3516.
        ("KM", 1, vec![3516.3]),
        ("PF", 2, vec![1171.9]),
        // reduce: sums and squares, of which the second has 128 of each; srad and srad2 with index vectors of 1 KB, not 256.
        ("SD1", 6, vec![1.0, 256.0, 512.0, 768.0, 1538.0, 1540.0]),
        ("SD2", 2, vec![6144.0]),
        // Both arrays have 1024 KB, but the cells at the border are not written.
        ("ST", 2, vec![884.1]),
        // Printed is 4676, which is more than all arrays have.
        ("BP", 2, vec![2304.0, 4224.0]),
        ("CP", 2, vec![4096.0]),
        ("NN", 1, vec![2004.6]),
        ("SG", 1, vec![12_284.0]),
        ("LUD", 3, vec![1.0, 95.0, 2303.0]),
    ] {
        let found = kilobytes(&dependence(&find(name).cut(launches)));
        // A percent, for borders and what few threads read.
        let near = found.len() == want.len() && found.iter().zip(&want).all(|(found, want)| (found - want).abs() <= 0.01 * want + 0.2);
        assert!(near, "{name}: {found:?}, not {want:?}");
    }
    let nw = dependence(&find("NW"));
    // Two tiles of 256 bytes for each CTA; and the border of each tile, which the paper does not count.
    for launch in &nw.launches {
        let tiles = 0.5 * f64::from(launch.ctas);
        let found = launch.bytes as f64 / 1024.0;
        assert!((tiles..=1.15 * tiles + 0.1).contains(&found), "NW with {} CTAs: {found} KB", launch.ctas);
    }
}

/// Table 1, printed in whole percent: self, ghost, other. The tolerance of each is how far an exact count of the source is from it.
#[test]
fn dependences_are_those_of_table_1() {
    for (name, launches, want, within) in [
        ("HS", 4, [95.0, 5.0, 0.0], 1.0),
        // The corner of a tile is two launches old; Table 1 has it as self: 53 and 47.
        ("NW", 125, [47.0, 0.0, 53.0], 1.5),
        ("PF", 4, [100.0, 0.0, 0.0], 0.5),
        // A block is two columns of the image, so that half of the reads to the east stay in it: 59.4, 3.1, 37.5.
        ("SD1", 22, [56.0, 6.0, 38.0], 5.0),
        ("SD2", 6, [91.0, 1.0, 8.0], 2.0),
        ("ST", 4, [92.0, 8.0, 0.0], 1.0),
    ] {
        let kernel = library::ikra::direct(&format!("ikra/{name}")).expect(name).cut(launches);
        let found = dependence(&kernel).split().expect("dependences").map(|part| 100.0 * part);
        let near = found.iter().zip(&want).all(|(found, want)| (found - want).abs() <= within);
        assert!(near, "{name}: {found:.1?}, not {want:?}");
    }
    // What the CPU writes is in no description.
    assert_eq!(dependence(&find("KM").cut(3)).split(), None);
}

/// No word is written by two CTAs of a launch, where the program is regular.
#[test]
fn no_two_ctas_of_a_launch_write_one_word() {
    for name in ["SMALL", "STEALING", "HS", "KM", "LUD", "NW", "PF", "SD1", "SD2", "ST", "BP", "CP", "LM", "NN"] {
        assert_eq!(dependence(&find(name).cut(7)).written_twice, 0, "{name}");
    }
}

/// The work of CTAs is uneven where the paper says so, and nowhere else.
#[test]
fn graphs_and_work_stealing_are_uneven() {
    let worst = |name: &str, launches: usize| {
        let found = dependence(&find(name).cut(launches));
        let launch = found.launches.last().expect("a launch");
        launch.most as f64 * f64::from(launch.ctas) / launch.accesses as f64
    };
    assert!(worst("STEALING", 1) > 1.8, "{}", worst("STEALING", 1));
    assert!(worst("PR1", 2) > 2.0, "{}", worst("PR1", 2));
    assert!(worst("PR2", 2) < 1.4, "{}", worst("PR2", 2));
    for name in ["LARGE", "HS", "KM", "SD2"] {
        assert!(worst(name, 1) < 1.05, "{name}: {}", worst(name, 1));
    }
}

#[test]
fn they_are_valid_and_small_as_descriptions() {
    for (name, make) in library::ikra::KERNELS {
        let kernel = make();
        let mut problems = Problems::default();
        validate::check(&kernel, name, &mut problems);
        assert_eq!((problems, kernel.name.as_str()), (Problems::default(), *name));
        assert!(kernel.launches.len() <= 7, "{name}: {} launches to read", kernel.launches.len());
    }
}
