use matchq_core::pool;

use super::{Encoded, Encoder, Evaluate, NetworkShape, Shown, TASK, View, by_certain_points};
use matchq_core::error::Result;
use matchq_games::{ActionMask, After, Game, Image, MaskKind, Plan, offered};

/// Factor of the second action's value in a plan by a dynamics model.
pub const PLAN_DISCOUNT: f32 = 0.9;

/// Share of plans by a dynamics model in the values of a player, chosen on match-3 in games that no
/// report uses.
pub const PLAN_SHARE: f32 = 0.5;

/// Most actions of a state whose next moves are valued, by value; more gain little.
pub const PLANS: usize = 6;

/// Points within which the best actions' values lie that are planned for by a dynamics model: a plan
/// seldom makes up for more.
pub const PLAN_MARGIN: f32 = 12.0;

/// A network's action values of many states, in batches.
pub struct Evaluator<G: Game> {
    network: Box<dyn Evaluate>,
    shape: NetworkShape,
    view: View,
    batch: usize,
    encoder: Encoder<G>,
    values: Vec<f32>,
    /// The network's second output for each of `values`: the correction of a plan.
    planned: Vec<f32>,
    /// Actions valued after each action, if the network learned to value plans; 0 for none.
    pub next_moves: usize,
    /// Share of the best plan of two actions in the value of an action, where a dynamics model
    /// predicts boards; 0 for no plans.
    pub plan_share: f32,
    /// Factor of the network's output; 0 leaves the prior alone.
    pub output: f32,
}

/// The mask of each state.
pub fn masks<G: Image>(states: &[G::State], mask: MaskKind) -> Vec<ActionMask> {
    pool::map(states.len(), TASK, |index| offered::<G>(&states[index], mask).0)
}

/// An action whose value a plan replaces.
struct Chosen {
    /// Index of the state.
    row: usize,
    action: usize,
    value: f32,
}

impl Chosen {
    /// Whether both are actions of one state.
    fn is_beside(&self, other: &Self) -> bool {
        self.row == other.row
    }
}

/// Sorts actions by descending value, equal ones in their order.
fn sort(actions: &mut [usize], values: &[f32]) {
    actions.sort_by(|one, other| values[*other].total_cmp(&values[*one]));
}

impl<G: Image> Evaluator<G> {
    /// At most `batch` images are in one forward pass.
    pub fn new(network: Box<dyn Evaluate>, shape: NetworkShape, batch: usize) -> Self {
        Self {
            view: shape.view,
            batch: batch.max(1),
            encoder: Encoder::new(shape.view),
            values: Vec::new(),
            planned: Vec::new(),
            next_moves: shape.next_moves,
            plan_share: 0.0,
            output: 1.0,
            network,
            shape,
        }
    }

    /// Sets a view that differs from the network's in its mask, or in the rules in place of a
    /// dynamics model.
    pub fn see(&mut self, view: View) {
        self.view = view;
        self.encoder = Encoder::new(view);
    }

    /// View of positions.
    pub fn view(&self) -> View {
        self.view
    }

    /// Shape of the network.
    pub fn shape(&self) -> &NetworkShape {
        &self.shape
    }

    /// Whether plans of two actions can have a share in the values: a dynamics model predicts boards,
    /// and the game reads them.
    pub fn can_plan(&self) -> bool {
        G::DECODE.is_some() && self.shape.waves > 0
    }

    /// Action values `[states, actions]`.
    ///
    /// A network of afterstates values its mask's actions; the others are 0. If next moves are valued,
    /// the six highest become the values of their plans, or those near the highest by a dynamics
    /// model; the mask's others keep their order below.
    pub fn values(&mut self, states: &[G::State]) -> Result<&[f32]> {
        let masks = self.masks(states);
        self.values_of(states, &masks)
    }

    /// [`values`](Self::values) under given masks, parts of the states' own.
    pub fn values_of(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<&[f32]> {
        self.values_within(states, masks)?;
        self.plan(states, masks)?;
        Ok(&self.values)
    }

    /// [`values`](Self::values) of all actions; one forward pass values those outside of the mask.
    pub fn all_values(&mut self, states: &[G::State]) -> Result<&[f32]> {
        let masks = self.masks(states);
        self.values_within(states, &vec![ActionMask::all(G::ACTIONS); states.len()])?;
        self.plan(states, &masks)?;
        Ok(&self.values)
    }

    /// Mask of each state, as the view has it.
    pub fn masks(&self, states: &[G::State]) -> Vec<ActionMask> {
        masks::<G>(states, self.view.mask)
    }

    /// Values by one forward pass under given masks, without next moves; values outside of a mask
    /// may be 0.
    pub fn values_within(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<&[f32]> {
        self.values.clear();
        match self.view.afterstates() {
            false => self.value_positions(states)?,
            true => self.value_afterstates(states, masks)?,
        }
        Ok(&self.values)
    }

    fn value_positions(&mut self, states: &[G::State]) -> Result<()> {
        for chunk in states.chunks(self.batch) {
            let chunk: Vec<_> = chunk.iter().map(|state| (*state, 0)).collect();
            let Encoded { images, scalars, .. } = self.encoder.positions(&chunk);
            let values = self.network.outputs(images, scalars)?;
            self.values.extend(values.iter().map(|value| self.output * value));
        }
        Ok(())
    }

    fn value_afterstates(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<()> {
        self.values.resize(states.len() * G::ACTIONS, 0.0);
        if self.shape.outputs > 1 {
            self.planned.clear();
            self.planned.resize(states.len() * G::ACTIONS, 0.0);
        }
        let rows = states.iter().zip(masks).enumerate();
        let (afterstates, places): (Vec<_>, Vec<_>) = rows
            .flat_map(|(row, (state, mask))| {
                mask.iter().map(move |action| ((*state, action, 0), row * G::ACTIONS + action))
            })
            .unzip();
        for (chunk, places) in afterstates.chunks(self.batch).zip(places.chunks(self.batch)) {
            let Encoded { images, scalars, priors } = self.encoder.afterstates(chunk);
            if self.shape.waves > 0 && self.view.shown == Shown::Done {
                self.network.outcome(images, priors)?;
            }
            let added = self.network.outputs(images, scalars)?;
            let added = added.chunks_exact(self.shape.outputs);
            for (place, (added, prior)) in places.iter().zip(added.zip(priors)) {
                self.values[*place] = self.output * added[0] + *prior;
                if let [_, planned] = added {
                    self.planned[*place] = self.output * planned;
                }
            }
        }
        Ok(())
    }

    /// Replaces each state's highest values by those of plans, and lowers the mask's others below.
    fn plan(&mut self, states: &[G::State], masks: &[ActionMask]) -> Result<()> {
        let by_model = self.plan_share > 0.0 && self.can_plan() && self.view.shown == Shown::Done;
        if self.next_moves == 0 && !by_model {
            return Ok(());
        }
        let (mut values, planned) = (std::mem::take(&mut self.values), std::mem::take(&mut self.planned));
        let mut chosen: Vec<Chosen> = Vec::new();
        for (row, mask) in masks.iter().enumerate() {
            let values = &values[row * G::ACTIONS..][..G::ACTIONS];
            let mut actions: Vec<usize> = mask.iter().collect();
            sort(&mut actions, values);
            actions.truncate(PLANS);
            if by_model {
                let margin = PLAN_MARGIN * self.view.scale;
                let near = actions.iter().take_while(|action| values[**action] >= values[actions[0]] - margin).count();
                // Where the best action has no rival, a plan changes nothing.
                actions.truncate(if near > 1 { near } else { 0 });
            }
            chosen.extend(actions.into_iter().map(|action| Chosen { row, action, value: values[action] }));
        }
        let actions: Vec<_> = chosen.iter().map(|chosen| (states[chosen.row], chosen.action)).collect();
        if by_model {
            let plans = self.plans_by_model(&actions)?;
            self.blend_plan_values(&mut chosen, &plans);
        } else {
            for (chosen, next) in chosen.iter_mut().zip(self.next_values(&actions)?) {
                chosen.value = next + planned[chosen.row * G::ACTIONS + chosen.action];
            }
        }
        for chosen in chosen.chunk_by(Chosen::is_beside) {
            let row = chosen[0].row;
            let values = &mut values[row * G::ACTIONS..][..G::ACTIONS];
            let mut left = masks[row];
            let mut lowest = f32::INFINITY;
            for Chosen { action, value, .. } in chosen {
                values[*action] = *value;
                lowest = lowest.min(*value);
                left.remove(*action);
            }
            let highest = left.iter().map(|action| values[action]).fold(f32::NEG_INFINITY, f32::max);
            let lower = (highest - lowest).max(0.0);
            left.iter().for_each(|action| values[action] = (values[action] - lower).min(lowest.next_down()));
        }
        (self.values, self.planned) = (values, planned);
        Ok(())
    }

    /// Mixes each chosen action's Q with the value of its plan of two actions by the dynamics model:
    /// docs/dqn.md, "A learned dynamics model".
    ///
    /// The mean excess of a state's plans is left out: it tells nothing, and an action without a plan
    /// would lack it.
    fn blend_plan_values(&self, chosen: &mut [Chosen], plans: &[Option<f32>]) {
        let mut plans = plans;
        for chosen in chosen.chunk_by_mut(Chosen::is_beside) {
            let (own, others) = plans.split_at(chosen.len());
            plans = others;
            let gain = |(plan, chosen): (&Option<f32>, &Chosen)| Some((*plan)? - chosen.value);
            let gains: Vec<Option<f32>> = own.iter().zip(&*chosen).map(gain).collect();
            let mean = gains.iter().flatten().sum::<f32>() / gains.iter().flatten().count().max(1) as f32;
            for (chosen, gain) in chosen.iter_mut().zip(gains) {
                chosen.value += gain.map_or(0.0, |gain| self.plan_share * (gain - mean));
            }
        }
    }

    /// Points that the dynamics model predicts of each action, plus the discounted highest value of an
    /// action on the board that it predicts; none where no action is left there.
    fn plans_by_model(&mut self, actions: &[(G::State, usize)]) -> Result<Vec<Option<f32>>> {
        let mut boards: Vec<(f32, G::State, ActionMask)> = Vec::with_capacity(actions.len());
        let size = G::PLANES * G::ROWS * G::COLUMNS;
        for chunk in actions.chunks(self.batch) {
            let done: Vec<_> = chunk.iter().map(|(state, action)| (*state, *action, 0)).collect();
            let Encoded { images, priors, .. } = self.encoder.afterstates(&done);
            self.network.outcome(images, priors)?;
            let predicted = chunk.iter().zip(images.chunks_exact(size)).zip(priors.iter());
            boards.extend(predicted.map(|(((state, action), image), points)| {
                let Some(decode) = G::DECODE else { return (*points, *state, ActionMask::empty()) };
                let after = decode(&G::done(state, *action), image);
                (*points, after, G::gaining_actions(&after))
            }));
        }
        let (states, masks): (Vec<G::State>, Vec<ActionMask>) =
            boards.iter().map(|(_, state, mask)| (*state, *mask)).unzip();
        let values = self.values_within(&states, &masks)?;
        let plan = |((points, _, mask), values): (&(f32, G::State, ActionMask), &[f32])| {
            Some(points + PLAN_DISCOUNT * mask.iter().map(|action| values[action]).reduce(f32::max)?)
        };
        Ok(boards.iter().zip(values.chunks_exact(G::ACTIONS)).map(plan).collect())
    }

    /// Certain points of each action plus half the highest value of a next move, in the network's
    /// units; panics if the network values no next moves.
    ///
    /// A forward pass values the gaining next moves of the highest prior, of equal ones the lower
    /// number.
    pub fn next_values(&mut self, actions: &[(G::State, usize)]) -> Result<Vec<f32>> {
        assert!(self.shape.next_moves > 0, "a network that values plans");
        let count = self.next_moves;
        let plan = self.view.prior().unwrap_or(Plan::of(1));
        let afters: Vec<After<G::State>> = pool::map(actions.len(), TASK, |index| {
            let (state, action) = &actions[index];
            let After { state, points, actions } = G::after(state, *action);
            let ranked = by_certain_points::<G>(&state, &actions, plan);
            After { state, points, actions: ranked.iter().take(count).map(|(action, _)| *action).collect() }
        });
        let (states, masks): (Vec<G::State>, Vec<ActionMask>) =
            afters.iter().map(|after| (after.state, after.actions)).unzip();
        let scale = self.view.scale;
        let values = self.values_within(&states, &masks)?;
        let value = |(after, values): (&After<G::State>, &[f32])| {
            let best = after.actions.iter().map(|action| values[action]).reduce(f32::max);
            scale * after.points + plan.weight as f32 * best.unwrap_or(0.0)
        };
        Ok(afters.iter().zip(values.chunks_exact(G::ACTIONS)).map(value).collect())
    }
}
