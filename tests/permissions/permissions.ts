import { readPermissionMatrix, checkMatrix } from './checkMatrix.ts'
import { openPermissionFixture } from './fixture.ts'

/**
 * `npm run permissions [-- --json]` tries every operation that the schema exposes as every actor. It compares the
 * outcomes with the permission matrix in `entries`. Without `--json` it prints the cases that differ and the objects
 * that are not declared. The last line is `{"permissions": {"cases", "held", "undeclared"}}`.
 */
export async function main(args: string[], root: string): Promise<number> {
  const fixture = await openPermissionFixture()
  try {
    const { broken, missing, ...counts } = await checkMatrix(fixture, readPermissionMatrix(root))
    if (!args.includes('--json')) {
      for (const line of broken) console.log(line)
      for (const object of missing) console.log(`not declared: ${object}`)
    }
    console.log(JSON.stringify({ permissions: counts }))
    return broken.length === 0 && missing.length === 0 ? 0 : 1
  } finally {
    await fixture.stop()
  }
}
