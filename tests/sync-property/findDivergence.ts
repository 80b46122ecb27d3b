import type { TestDatabase } from './database/testDatabase.ts'
import { generateScript, runScript, type Divergence, type Script } from './script.ts'
import type { Mutant } from './tab.ts'

/** The first short script in which the mutant diverges; null if none of 60 seeds gives one. */
export async function findDivergence(
  database: TestDatabase,
  mutant: Mutant,
  steps: number,
): Promise<{ script: Script; found: Divergence } | null> {
  for (let seed = 1; seed <= 60; seed += 1) {
    const script = generateScript(seed, steps)
    const found = await runScript(database, script, { mutant })
    if (found) return { script, found }
  }
  return null
}
