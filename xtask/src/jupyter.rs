//! `cargo xtask jupyter`, a study: the widget of the npm package in a real JupyterLab. A notebook with the README's class shows a run, and reads in
//! Python the digest that came out, and a series.

use crate::run::{said, target_dir};
use crate::{need, package, python, run};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fs;
use std::process::Command;

/// What the notebook needs of Python's packages.
const PACKAGES: [&str; 2] = ["jupyterlab==4.6.6", "anywidget==0.11.0"];

/// The run of the README's first example, as a link.
const LINK: &str = "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&cycles=20000";

pub fn jupyter() -> Result<()> {
    package::package()?;
    let folder = package::install()?;
    let python = python::environment("jupyter", &PACKAGES)?;
    let cell = |source: &str| json!({ "cell_type": "code", "metadata": {}, "execution_count": null, "outputs": [], "source": source });
    let notebook = json!({
        "nbformat": 4,
        "nbformat_minor": 4,
        "metadata": { "kernelspec": { "name": "python3", "display_name": "Python 3", "language": "python" } },
        "cells": [
            cell(&format!("from widget import Corun\n\nrun = Corun(link=\"{LINK}\")\nrun")),
            cell("print(\"digest\", run.series[0][\"kernels[1].latency\"][0], run.result[\"digest\"])"),
        ],
    });
    fs::write(folder.join("corun.ipynb"), serde_json::to_string(&notebook)?)?;
    let here = said(Command::new("node").arg("run.mjs").current_dir(&folder))?;
    let digest = here.lines().last().context("the package prints no digest")?;
    let picture = target_dir().join("jupyter.png");
    let mut lab = Command::new("node");
    lab.current_dir(run::root().join("web")).arg("e2e/jupyter.mjs").arg(&python).arg(&folder).arg(&picture);
    let there = said(lab.env("CHROMIUM_PATH", need::headless()?))?;
    // No read has come back when the first window ends.
    ensure!(
        there.lines().last() == Some(&format!("nan {digest}")),
        "the notebook has no NaN, or another digest than Node, which has {digest}:\n{there}"
    );
    println!("{there}\nThe notebook has the digest that Node has. What it looks like: {}", picture.display());
    Ok(())
}
