import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Mutant } from './tab.ts'
import { openTestDatabase } from './database/testDatabase.ts'
import type { TestDatabase } from './database/testDatabase.ts'
import { shrinkScript } from './shrinkScript.ts'
import { generateScript, runScript } from './script.ts'
import type { Divergence, Script } from './script.ts'
import { MUTANTS } from './mutants.ts'

/**
 * The maximum number of steps of a script. Each seed generates one script, and the next script starts from the
 * beginning.
 */
const STEPS_PER_SCRIPT = 5_000

const USAGE = `Usage: npm run sync-property -- [--steps N] [--seed S] [--shrink SECONDS] [--mutant NAME]
       npm run sync-property -- --script FILE [--mutant NAME]
  --steps   steps to run (2000), in scripts of up to ${STEPS_PER_SCRIPT}
  --seed    of the first script (1)
  --shrink  seconds to spend on shortening a script that diverges (120)
  --script  runs the script of a file again and prints each step
  --mutant  injects a defect into the app, which must be detected: ${Object.keys(MUTANTS).join(', ')}`

/**
 * Checks that a stale state plus the events since then equals a fresh fetch. Returns 0 if there is no divergence.
 * Otherwise it prints a short script of the first divergence and the file that stores it. The first line has the
 * seed. The last line is `<steps> steps, <n> divergences`.
 */
export async function main(args: string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      steps: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      shrink: { type: 'string', default: '120' },
      script: { type: 'string' },
      mutant: { type: 'string' },
    },
  })
  const [steps, seed, seconds] = [values.steps, values.seed, values.shrink].map(Number) as [
    number,
    number,
    number,
  ]
  const mutant = values.mutant === undefined ? {} : MUTANTS[values.mutant]
  if (!(steps >= 1) || !Number.isInteger(seed) || !(seconds >= 0) || !mutant) {
    console.error(USAGE)
    return 2
  }
  if (values.script === undefined) console.log(`seed ${seed}`)
  const database = await openTestDatabase(root)
  try {
    if (values.script !== undefined) {
      const script = JSON.parse(await readFile(values.script, 'utf8')) as Script
      const divergence = await runVerbosely(database, script, mutant)
      console.log(`${script.steps.length} steps, ${divergence ? 1 : 0} divergences`)
      return divergence ? 1 : 0
    }
    let run = 0
    for (let next = seed; run < steps; next += 1) {
      const script = generateScript(next, Math.min(STEPS_PER_SCRIPT, steps - run))
      const divergence = await runScript(database, script, { mutant })
      if (divergence) {
        console.log(`seed ${next}, step ${run + divergence.step}: not equal`)
        await explain(database, script, divergence, mutant, seconds)
        console.log(`${run + divergence.step} steps, 1 divergences`)
        return 1
      }
      run += Math.min(STEPS_PER_SCRIPT, steps - run)
      if (run < steps) console.log(`seed ${next}: ${run} of ${steps} steps, all equal`)
    }
    console.log(`${run} steps, 0 divergences`)
    return 0
  } finally {
    await database.stop()
  }
}

/** Runs a script and prints each step. */
async function runVerbosely(
  database: TestDatabase,
  script: Script,
  mutant: Mutant,
): Promise<Divergence | null> {
  let line = 0
  const report = (what: string) => console.log(`${String((line += 1)).padStart(4)}  ${what}`)
  const divergence = await runScript(database, script, { mutant, report })
  for (const what of divergence?.what.slice(0, 10) ?? []) console.log(`      ${what}`)
  return divergence
}

/** Shortens the script, prints its steps and stores it in a file. */
async function explain(
  database: TestDatabase,
  script: Script,
  found: Divergence,
  mutant: Mutant,
  seconds: number,
) {
  const short = await shrinkScript(database, script, found, { mutant, seconds })
  if (!(await runVerbosely(database, short, mutant))) {
    console.log('The shortened script does not diverge when run again. The first time:')
    for (const what of found.what.slice(0, 10)) console.log(`      ${what}`)
  }
  const file = join(tmpdir(), `sync-property-${script.seed}.json`)
  await writeFile(file, JSON.stringify(short))
  console.log(`Run it again: npm run sync-property -- --script ${file}`)
}
