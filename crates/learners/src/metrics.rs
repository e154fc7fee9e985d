//! Figures between two rows of the log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Named figures since the last row of the log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics(BTreeMap<String, Metric>);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Metric {
    Last(f64),
    Sum(f64),
    /// Sum and count.
    Mean(f64, u64),
}

impl Metrics {
    /// Sets a number, which stays until set again.
    pub fn set(&mut self, name: &str, value: f64) {
        *self.entry(name, Metric::Last(value)) = Metric::Last(value);
    }

    /// Adds to a sum.
    pub fn add(&mut self, name: &str, value: f64) {
        if let Metric::Sum(sum) = self.entry(name, Metric::Sum(0.0)) {
            *sum += value;
        }
    }

    /// Adds a number to a mean.
    pub fn average(&mut self, name: &str, value: f64) {
        let metric = self.entry(name, Metric::Mean(0.0, 0));
        *metric = match *metric {
            Metric::Mean(sum, count) => Metric::Mean(sum + value, count + 1),
            // A checkpoint may hold another kind of number here.
            _ => Metric::Mean(value, 1),
        };
    }

    /// A number; none for a mean without numbers.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Metric::value)
    }

    /// The numbers of these names that there are.
    pub fn named(&self, names: &[&'static str]) -> Vec<(&'static str, f64)> {
        names.iter().filter_map(|name| Some((*name, self.get(name)?))).collect()
    }

    /// All numbers except empty means.
    pub fn values(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().filter_map(|(name, metric)| Some((name.as_str(), metric.value()?)))
    }

    /// Starts new sums and means.
    pub fn reset(&mut self) {
        for metric in self.0.values_mut() {
            *metric = match *metric {
                Metric::Last(value) => Metric::Last(value),
                Metric::Sum(_) => Metric::Sum(0.0),
                Metric::Mean(..) => Metric::Mean(0.0, 0),
            };
        }
    }

    fn entry(&mut self, name: &str, first: Metric) -> &mut Metric {
        self.0.entry(name.to_owned()).or_insert(first)
    }
}

impl Metric {
    fn value(&self) -> Option<f64> {
        match *self {
            Self::Last(value) | Self::Sum(value) => Some(value),
            Self::Mean(_, 0) => None,
            Self::Mean(sum, count) => Some(sum / count as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_last_of_some_the_sum_of_others_and_means() {
        let mut metrics = Metrics::default();
        for number in [1.0, 2.0, 6.0] {
            metrics.set("epsilon", number);
            metrics.add("games", number);
            metrics.average("loss", number);
        }
        let values: Vec<_> = metrics.values().collect();
        assert_eq!(values, [("epsilon", 6.0), ("games", 9.0), ("loss", 3.0)]);
        assert_eq!((metrics.get("loss"), metrics.get("error")), (Some(3.0), None));
    }

    #[test]
    fn a_new_row_begins_at_nothing_but_for_what_is_set() {
        let mut metrics = Metrics::default();
        metrics.set("epsilon", 0.5);
        metrics.add("games", 2.0);
        metrics.average("loss", 3.0);
        metrics.reset();
        assert_eq!(metrics.values().collect::<Vec<_>>(), [("epsilon", 0.5), ("games", 0.0)]);
        metrics.average("loss", 7.0);
        assert_eq!(metrics.get("loss"), Some(7.0));
        // A checkpoint of another version may hold this.
        metrics.average("epsilon", 0.25);
        assert_eq!(metrics.get("epsilon"), Some(0.25));
    }
}
