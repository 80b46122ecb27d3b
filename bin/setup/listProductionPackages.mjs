import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './checkout.mjs'

/** Paths from the root of all installed packages except development dependencies. */
export function listProductionPackages() {
  /** @type {{ packages: Record<string, { dev?: boolean }> }} */
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev && existsSync(join(root, path)))
    .map(([path]) => path)
}
