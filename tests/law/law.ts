import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Wrong } from './actor.ts'
import { openLawHome } from './home/home.ts'
import type { LawHome } from './home/home.ts'
import { minimalStory } from './minimalStory.ts'
import { storyOf, tellStory } from './story.ts'
import type { Divergence, Story } from './story.ts'
import { WRONGS } from './wrongs.ts'

/** Each seed tells a story of at most so many steps: then all begins anew. */
const STORY = 5_000

const USAGE = `Usage: npm run law -- [--steps N] [--seed S] [--shrink SECONDS] [--wrong NAME]
       npm run law -- --script FILE [--wrong NAME]
  --steps   steps to tell (2000), in stories of up to ${STORY}
  --seed    of the first story (1)
  --shrink  how long a diverging story may take to be made shorter (120)
  --script  tells the story of a file again, step by step
  --wrong   with something wrong in the app, to see it caught: ${Object.keys(WRONGS).join(', ')}`

/**
 * Any stale state and the events since must be a fresh fetch. Answers 0 without a divergence; else prints a short
 * script of the first one and where it is kept. The last line: `<steps> steps, <n> divergences`.
 */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      steps: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      shrink: { type: 'string', default: '120' },
      script: { type: 'string' },
      wrong: { type: 'string' },
    },
  })
  const [steps, seed, seconds] = [values.steps, values.seed, values.shrink].map(Number) as [
    number,
    number,
    number,
  ]
  const wrong = values.wrong === undefined ? {} : WRONGS[values.wrong]
  if (!(steps >= 1) || !Number.isInteger(seed) || !(seconds >= 0) || !wrong) {
    console.error(USAGE)
    return 2
  }
  const home = await openLawHome(root)
  try {
    if (values.script !== undefined) {
      const story = JSON.parse(await readFile(values.script, 'utf8')) as Story
      const divergence = await tellAloud(home, story, wrong)
      console.log(`${story.steps.length} steps, ${divergence ? 1 : 0} divergences`)
      return divergence ? 1 : 0
    }
    let told = 0
    for (let next = seed; told < steps; next += 1) {
      const story = storyOf(next, Math.min(STORY, steps - told))
      const divergence = await tellStory(home, story, { wrong })
      if (divergence) {
        console.log(`seed ${next}, step ${told + divergence.at}: not equal`)
        await explain(home, story, divergence, wrong, seconds)
        console.log(`${told + divergence.at} steps, 1 divergences`)
        return 1
      }
      told += Math.min(STORY, steps - told)
      if (told < steps) console.log(`seed ${next}: ${told} of ${steps} steps, all equal`)
    }
    console.log(`${told} steps, 0 divergences`)
    return 0
  } finally {
    await home.stop()
  }
}

/** Prints what happens, line by line. */
async function tellAloud(home: LawHome, story: Story, wrong: Wrong): Promise<Divergence | null> {
  let line = 0
  const say = (what: string) => console.log(`${String((line += 1)).padStart(4)}  ${what}`)
  const divergence = await tellStory(home, story, { wrong, say })
  for (const what of divergence?.what.slice(0, 10) ?? []) console.log(`      ${what}`)
  return divergence
}

/** Makes the story short, tells it aloud and keeps it in a file. */
async function explain(home: LawHome, story: Story, found: Divergence, wrong: Wrong, seconds: number) {
  const short = await minimalStory(home, story, found, { wrong, seconds })
  if (!(await tellAloud(home, short, wrong))) {
    console.log('It does not diverge when it is told again; this was seen the first time:')
    for (const what of found.what.slice(0, 10)) console.log(`      ${what}`)
  }
  const file = join(tmpdir(), `law-${story.seed}.json`)
  await writeFile(file, JSON.stringify(short))
  console.log(`Tell it again: npm run law -- --script ${file}`)
}
