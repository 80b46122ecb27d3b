import { parseArgs } from 'node:util'
import { openLawHome } from './home.ts'
import { tellStory } from './story.ts'

/** Each seed tells a story of at most so many steps: a short one is easier to read when it diverges. */
const STORY = 5_000

/**
 * `npm run law -- --steps N --seed S`: any stale state and the events since must be a fresh fetch. Answers 0
 * without a divergence; prints the script of the first one else. The last line: `<steps> steps, <n> divergences`.
 */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { steps: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
  })
  const steps = Number(values.steps)
  const seed = Number(values.seed)
  if (!Number.isInteger(steps) || steps < 1 || !Number.isInteger(seed)) {
    console.error('Usage: npm run law -- --steps N --seed S')
    return 2
  }
  const home = await openLawHome(root)
  let told = 0
  let found = 0
  try {
    for (let story = seed; told < steps; story += 1) {
      const now = Math.min(STORY, steps - told)
      const { divergences } = await tellStory({ home, steps: now, seed: story, evicts: story % 2 === 1 })
      for (const { step, what, script } of divergences) {
        found += 1
        console.log(`seed ${story}, step ${step}: not equal`)
        for (const line of what.slice(0, 10)) console.log(`  ${line}`)
        console.log(`what happened since everything was equal:`)
        for (const line of script) console.log(`  ${line}`)
      }
      told += now
    }
  } finally {
    await home.stop()
  }
  console.log(`${told} steps, ${found} divergences`)
  return found === 0 ? 0 : 1
}
