import type { Wrong } from './actor.ts'
import { DEEDS } from './deeds/deeds.ts'
import { doingOf } from './deeds/doing.ts'
import type { LawHome } from './home/home.ts'
import { chanceOf } from './random.ts'
import { setScene, TABS } from './scene.ts'
import { settled } from './settled.ts'
import type { Scene } from './scene.ts'

/** Steps between two comparisons. */
const CHAPTER = 250

const BEGINNERS = ['ann', ...TABS.filter((label) => label.startsWith('omar'))]

/** One step. What it does it finds in what is there, by a chance of its own: others may be left out before it. */
export interface Step {
  /**
   * `way`: something moves on the network, or is lost there; `arrives`: it moves without fault. `settle`: all comes
   * to rest and is compared. Else a deed's name.
   */
  deed: string
  /** The tab that does it; empty for what needs none. */
  who: string
  salt: number
}

export const SETTLE: Step = { deed: 'settle', who: '', salt: 0 }

/** All that is needed to tell a story again. */
export interface Story {
  seed: number
  /** Whether sockets end with rights (the embedded home) or later (a token's life). */
  evicts: boolean
  steps: Step[]
}

/** The story of a seed: odd ones on a home that evicts. */
export function storyOf(seed: number, steps: number): Story {
  const chance = chanceOf(seed)
  const deeds = Object.entries(DEEDS)
  const all = deeds.reduce((sum, [, { often }]) => sum + often, 0)
  const pick = () => {
    let left = chance.next() * all
    return deeds.find(([, { often }]) => (left -= often) < 0)?.[0] ?? 'way'
  }
  const story: Story = { seed, evicts: seed % 2 === 1, steps: [] }
  for (let step = 1; step <= steps; step += 1) {
    const salt = chance.below(2 ** 32)
    // At first mostly those whose tabs have no workspace yet, and people who write to them.
    const cast = step < CHAPTER && chance.happens(0.7) ? BEGINNERS : TABS
    if (chance.happens(0.3)) story.steps.push({ deed: pick(), who: chance.pick(cast) ?? '', salt })
    else story.steps.push({ deed: 'way', who: '', salt })
    if (step % CHAPTER === 0 || step === steps) story.steps.push(SETTLE)
  }
  return story
}

export interface Divergence {
  /** The step at which it was seen, from 0. */
  at: number
  what: string[]
}

/** Tells a story up to its end or its first divergence. `say` hears what each step did. */
export async function tellStory(
  home: LawHome,
  story: Story,
  options: { wrong?: Wrong; say?: (what: string) => void } = {},
): Promise<Divergence | null> {
  const { wrong = {}, say = () => {} } = options
  const scene = await setScene({ home, seed: story.seed, evicts: story.evicts, wrong })
  try {
    for (const [at, step] of story.steps.entries()) {
      if (step.deed === 'settle') {
        const what = await settled(scene)
        if (what.length > 0) return { at, what }
        say('everything is equal')
        continue
      }
      const what = await take(scene, step)
      if (what === null) await scene.network.clock.pass(step.salt % 4_000)
      else say(what)
    }
  } finally {
    scene.end()
  }
  return null
}

/** One step; null when there was nothing to do. */
async function take(scene: Scene, { deed, who, salt }: Step): Promise<string | null> {
  const chance = chanceOf(salt)
  if (deed === 'way' || deed === 'arrives') return scene.network.step(chance, deed === 'way')
  const known = DEEDS[deed]
  if (!known) throw new Error(`No deed is called ${deed}.`)
  const tab = scene.tabs().find((one) => one.label === who && !one.device.asleep)
  return tab ? known.deed(doingOf(scene, tab, chance)) : null
}
