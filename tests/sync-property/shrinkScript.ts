import type { Mutant } from './tab.ts'
import type { TestDatabase } from './database/testDatabase.ts'
import { shrink } from './shrink.ts'
import { SETTLE, runScript } from './script.ts'
import type { Divergence, Step, Script } from './script.ts'

/** The shortest script found within `seconds` that still diverges, comparing once, at its end. */
export async function shrinkScript(
  database: TestDatabase,
  script: Script,
  found: Divergence,
  options: { mutant: Mutant; seconds: number },
): Promise<Script> {
  const until = performance.now() + options.seconds * 1_000
  const within = (steps: readonly Step[]): Script => ({ ...script, steps: [...steps, SETTLE] })
  const stillFails = async (steps: readonly Step[]) =>
    (await runScript(database, within(steps), { mutant: options.mutant })) !== null
  const before = script.steps.slice(0, found.step)
  const bare = before.filter((step) => step.action !== 'settle')
  const steps = await shrink((await stillFails(bare)) ? bare : before, {
    stillFails,
    kindOf: (step) => step.action,
    simplify: (step) => (step.action === 'network' ? { ...step, action: 'delivery' } : null),
    until,
  })
  return within(steps)
}
