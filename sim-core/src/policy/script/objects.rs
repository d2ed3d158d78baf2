//! The objects that a script works on: `seen`, `controls` and `this`.

use super::budget::{Budget, ELEMENTS, Fallible, weigh, weigh_map};
use super::names::Object;
use super::values::{dynamic, plain};
use super::words::Call;
use crate::describe::error::Problems;
use crate::describe::ids::KernelId;
use crate::interface::controls::{CONTROLS, Control};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::ToString;
use core::cell::{Cell, Ref, RefCell, RefMut};
use core::ops::Range;
use rhai::{Array, Dynamic, Engine, ImmutableString, Map};

/// What the objects of a call work on.
#[derive(Clone)]
pub struct Desk {
    call: Rc<RefCell<Call>>,
    pub budget: Budget,
}

impl Desk {
    pub fn new(call: Call) -> Desk {
        Desk { call: Rc::new(RefCell::new(call)), budget: Budget::default() }
    }

    pub fn call(&self) -> Ref<'_, Call> {
        self.call.borrow()
    }

    pub fn call_mut(&self) -> RefMut<'_, Call> {
        self.call.borrow_mut()
    }
}

/// Lets a script say the names of the objects.
pub fn register(engine: &mut Engine) {
    engine
        .register_type_with_name::<Seeing>("an observation")
        .register_indexer_get(Seeing::get)
        .register_type_with_name::<Setting>("controls")
        .register_indexer_get_set(Setting::get, Setting::set)
        .register_type_with_name::<EachSm>("controls of SMs")
        .register_indexer_get_set(EachSm::get, EachSm::set)
        .register_type_with_name::<EachKernel>("a control")
        .register_indexer_get_set(EachKernel::get, EachKernel::set)
        .register_type_with_name::<Kept>("this")
        .register_indexer_get_set(Kept::get, Kept::set);
}

/// An index that a script gives, below `count`.
pub fn index(given: i64, count: usize, what: &str) -> Fallible<usize> {
    let index = usize::try_from(given).ok().filter(|index| *index < count);
    index.ok_or_else(|| match count {
        0 => format!("there is no {what} {given}: there is none").into(),
        _ => format!("there is no {what} {given}: they are 0 to {}", count - 1).into(),
    })
}

/// Touches for finding a name: the interpreter looks for a function of that name first.
const NAME: usize = 64;

/// An object of the observation.
#[derive(Clone)]
pub struct Seeing {
    pub desk: Desk,
    pub object: Object,
}

impl Seeing {
    fn get(&mut self, name: ImmutableString) -> Fallible<Dynamic> {
        let call = self.desk.call();
        let of = |object: Object| Dynamic::from(Seeing { desk: self.desk.clone(), object });
        let (sms, kernels) = (0..call.seen.sms(), 0..call.seen.kernels());
        self.desk.budget.pay(match (self.object, name.as_str()) {
            (Object::Run | Object::Sm(_), "kernels") => 8 * kernels.len(),
            (Object::Run, "sms") => 8 * sms.len(),
            _ => NAME,
        })?;
        Ok(match (self.object, name.as_str()) {
            (Object::Run, "kernels") => kernels.map(|kernel| of(Object::Kernel(kernel))).collect::<Array>().into(),
            (Object::Run, "sms") => sms.map(|sm| of(Object::Sm(sm))).collect::<Array>().into(),
            (Object::Kernel(kernel), "total") => of(Object::Total(kernel)),
            (Object::Sm(sm), "kernels") => kernels.map(|kernel| of(Object::OnSm(sm, kernel))).collect::<Array>().into(),
            (object, name) => match object.get(&call.seen, name) {
                Some(value) => dynamic(&value),
                None => return Err(format!("{} has no {name}", object.title()).into()),
            },
        })
    }
}

/// The controls, of all SMs or of one.
#[derive(Clone)]
pub struct Setting {
    pub desk: Desk,
    pub sm: Option<usize>,
}

/// `controls.sms`: the controls of one SM in brackets.
#[derive(Clone)]
struct EachSm(Desk);

/// A control with a value for each kernel.
#[derive(Clone)]
struct EachKernel {
    of: Setting,
    control: &'static Control,
}

impl Setting {
    fn find(name: &str) -> Fallible<&'static Control> {
        CONTROLS.iter().find(|control| control.field.name == name).ok_or_else(|| format!("there is no control {name}").into())
    }

    /// The SMs that it sets, where a control is of SMs.
    fn sms(&self, control: &Control) -> Range<usize> {
        match self.sm {
            _ if !control.scope.is_on_sm() => 0..1,
            Some(sm) => sm..sm + 1,
            None => 0..self.desk.call().controls.sms.len(),
        }
    }

    fn value(&self, control: &Control, kernel: usize) -> Dynamic {
        let sm = self.sms(control).start;
        dynamic(&control.value(&self.desk.call().controls, sm, KernelId(kernel as u8)))
    }

    fn put(&self, control: &Control, kernel: usize, value: &Dynamic) -> Fallible<()> {
        let path = if control.scope.is_of_kernel() { format!("{}[{kernel}]", control.field.name) } else { control.field.name.to_string() };
        let value = plain(value, &path, 0)?;
        let sms = self.sms(control);
        self.desk.budget.pay(NAME + 8 * sms.len())?;
        let controls = &mut self.desk.call_mut().controls;
        control.put(controls, sms, KernelId(kernel as u8), &value, &path).map_err(|Problems(problems)| {
            let problem = problems.first().map(ToString::to_string);
            problem.unwrap_or_default().into()
        })
    }

    fn get(&mut self, name: ImmutableString) -> Fallible<Dynamic> {
        self.desk.budget.pay(NAME)?;
        if name == "sms" {
            return Ok(Dynamic::from(EachSm(self.desk.clone())));
        }
        let control = Setting::find(&name)?;
        let each = || Dynamic::from(EachKernel { of: self.clone(), control });
        Ok(if control.scope.is_of_kernel() { each() } else { self.value(control, 0) })
    }

    fn set(&mut self, name: ImmutableString, value: Dynamic) -> Fallible<()> {
        // After `controls.cta_target[0] = 1`, Rhai puts back what stands before the bracket.
        if value.is::<EachKernel>() || value.is::<EachSm>() {
            return Ok(());
        }
        let control = Setting::find(&name)?;
        if !control.scope.is_of_kernel() {
            return self.put(control, 0, &value);
        }
        let kernels = self.desk.call().seen.kernels();
        let items = value.read_lock::<Array>().filter(|items| items.len() == kernels);
        let Some(items) = items else { return Err(format!("{name} takes a list with an entry for each of {kernels} kernels").into()) };
        items.iter().enumerate().try_for_each(|(kernel, item)| self.put(control, kernel, item))
    }
}

impl EachSm {
    fn get(&mut self, sm: i64) -> Fallible<Setting> {
        let sm = index(sm, self.0.call().controls.sms.len(), "SM")?;
        Ok(Setting { desk: self.0.clone(), sm: Some(sm) })
    }

    /// What Rhai puts back: see `Setting::set`.
    fn set(&mut self, _sm: i64, _put_back: Setting) {}
}

impl EachKernel {
    fn kernel(&self, given: i64) -> Fallible<usize> {
        index(given, self.of.desk.call().seen.kernels(), "kernel")
    }

    fn get(&mut self, kernel: i64) -> Fallible<Dynamic> {
        Ok(self.of.value(self.control, self.kernel(kernel)?))
    }

    fn set(&mut self, kernel: i64, value: Dynamic) -> Fallible<()> {
        self.of.put(self.control, self.kernel(kernel)?, &value)
    }
}

/// `this`: what the script keeps from one call to the next. Values are copied out of it and into it.
#[derive(Clone)]
pub struct Kept {
    values: Rc<RefCell<Map>>,
    /// Values in it, with those in lists and maps.
    elements: Rc<Cell<usize>>,
    budget: Budget,
}

impl Kept {
    pub fn new(values: Map, budget: &Budget) -> Kept {
        let elements = weigh_map(&values, 0).map_or(0, |weight| weight.elements);
        Kept { values: Rc::new(RefCell::new(values)), elements: Rc::new(Cell::new(elements)), budget: budget.clone() }
    }

    /// What is kept, when the call is over.
    pub fn values(&self) -> Map {
        self.values.take()
    }

    fn get(&mut self, name: ImmutableString) -> Fallible<Dynamic> {
        self.budget.pay(NAME)?;
        let values = self.values.borrow();
        let Some(value) = values.get(name.as_str()) else { return Ok(Dynamic::UNIT) };
        // A copy, which the interpreter then looks at.
        self.budget.pay(2 * weigh(value)?.touches)?;
        Ok(value.clone())
    }

    fn set(&mut self, name: ImmutableString, value: Dynamic) -> Fallible<()> {
        let weight = weigh(&value)?;
        self.budget.pay(NAME + name.len() + 2 * weight.touches)?;
        plain(&value, &format!("this.{name}"), 0)?;
        let before = self.values.borrow_mut().insert(name.as_str().into(), value);
        let before = before.map_or(Ok(0), |value| weigh(&value).map(|weight| weight.elements + 1))?;
        self.elements.set((self.elements.get() + 1 + weight.elements).saturating_sub(before));
        if self.elements.get() > ELEMENTS { Err(format!("this keeps more than {ELEMENTS} values").into()) } else { Ok(()) }
    }
}
