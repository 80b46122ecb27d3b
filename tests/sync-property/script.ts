import type { Mutant } from './tab.ts'
import { ACTIONS } from './actions/actions.ts'
import { createActionContext } from './actions/actionContext.ts'
import type { TestDatabase } from './database/testDatabase.ts'
import { createRandom } from '../support/random.ts'
import { createSimulation, TABS } from './simulation.ts'
import { settleAndCompare } from './settleAndCompare.ts'
import type { Simulation } from './simulation.ts'

/** Steps between two comparisons. */
const COMPARE_EVERY = 250

const TABS_WITHOUT_WORKSPACE = ['ann', ...TABS.filter((label) => label.startsWith('omar'))]

/** One step. It picks its objects from the current state by its own seed, so that earlier steps can be removed. */
export interface Step {
  /**
   * `network`: something moves on the network, or is lost there; `delivery`: it moves without fault. `settle`: waits
   * until nothing is pending and compares. Else the name of an action.
   */
  action: string
  /** The label of the tab that acts; empty where none is needed. */
  tab: string
  seed: number
}

export const SETTLE: Step = { action: 'settle', tab: '', seed: 0 }

/** Everything needed to run a script again. */
export interface Script {
  seed: number
  /** Whether subscriptions end with the permission (Linnet's server) or with the token. */
  evicts: boolean
  steps: Step[]
}

/** The script of a seed: odd ones evict. */
export function generateScript(seed: number, steps: number): Script {
  const random = createRandom(seed)
  const actions = Object.entries(ACTIONS)
  const all = actions.reduce((sum, [, { weight }]) => sum + weight, 0)
  const pick = () => {
    let left = random.next() * all
    return actions.find(([, { weight }]) => (left -= weight) < 0)?.[0] ?? 'network'
  }
  const script: Script = { seed, evicts: seed % 2 === 1, steps: [] }
  for (let step = 1; step <= steps; step += 1) {
    const salt = random.below(2 ** 32)
    // At first mostly tabs without a workspace, and people who write to them.
    const candidates = step < COMPARE_EVERY && random.happens(0.7) ? TABS_WITHOUT_WORKSPACE : TABS
    if (random.happens(0.3))
      script.steps.push({ action: pick(), tab: random.pick(candidates) ?? '', seed: salt })
    else script.steps.push({ action: 'network', tab: '', seed: salt })
    if (step % COMPARE_EVERY === 0 || step === steps) script.steps.push(SETTLE)
  }
  return script
}

export interface Divergence {
  /** The index of the step at which it was found. */
  step: number
  what: string[]
}

/** Runs a script up to its end or first divergence. `report` is called with a description of each step. */
export async function runScript(
  database: TestDatabase,
  script: Script,
  options: { mutant?: Mutant; report?: (what: string) => void } = {},
): Promise<Divergence | null> {
  const { mutant = {}, report = () => {} } = options
  const simulation = await createSimulation({ database, seed: script.seed, evicts: script.evicts, mutant })
  try {
    for (const [at, step] of script.steps.entries()) {
      if (step.action === 'settle') {
        const what = await settleAndCompare(simulation)
        if (what.length > 0) return { step: at, what }
        report('everything is equal')
        continue
      }
      const what = await runStep(simulation, step)
      if (what === null) await simulation.network.clock.advance(step.seed % 4_000)
      else report(what)
    }
  } finally {
    simulation.end()
  }
  return null
}

/** Runs one step; null when there was nothing to do. */
async function runStep(simulation: Simulation, { action, tab, seed }: Step): Promise<string | null> {
  const random = createRandom(seed)
  if (action === 'network' || action === 'delivery')
    return simulation.network.step(random, action === 'network')
  const known = ACTIONS[action]
  if (!known) throw new Error(`No action is called ${action}.`)
  const target = simulation.tabs().find((one) => one.label === tab && !one.device.asleep)
  return target ? known.run(createActionContext(simulation, target, random)) : null
}
