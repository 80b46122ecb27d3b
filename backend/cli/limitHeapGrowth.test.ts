import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { heapGrowthFlag } from './limitHeapGrowth.ts'

it('the flag that limits the growth of the heap exists in this version of Node', () => {
  const { status, stderr } = spawnSync(process.execPath, [heapGrowthFlag, '-e', ''], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
