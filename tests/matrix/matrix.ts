import { readCells, runMatrix } from './runMatrix.ts'
import { openMatrixWorld } from './world.ts'

/**
 * `npm run matrix [-- --json]`: tries everything that the schema offers as everyone, against the tables in `cells`.
 * Prints the cells that don't hold and the objects without cells; the last line is `{cells, held, undeclared}`.
 */
export async function main(args: string[], root: string): Promise<number> {
  const world = await openMatrixWorld()
  try {
    const { broken, missing, ...sums } = await runMatrix(world, readCells(root))
    if (!args.includes('--json')) {
      for (const line of broken) console.log(line)
      for (const object of missing) console.log(`no cells: ${object}`)
    }
    console.log(JSON.stringify(sums))
    return broken.length === 0 && missing.length === 0 ? 0 : 1
  } finally {
    await world.stop()
  }
}
