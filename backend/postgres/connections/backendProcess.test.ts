import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { backendProcess } from './backendProcess.ts'

const { cpuTime } = backendProcess

it.runIf(process.platform === 'linux')('measures the time of a process until it has exited', async () => {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  try {
    await expect.poll(() => cpuTime(child.pid!)).toBeGreaterThan(1)
    const before = cpuTime(child.pid!)!
    await expect.poll(() => cpuTime(child.pid!)).toBeGreaterThan(before)
  } finally {
    child.kill('SIGKILL')
    await exited
  }
  expect(cpuTime(child.pid!)).toBeNull()
})

it.runIf(process.platform === 'linux')('measures more processes than it has files open', async () => {
  const children = Array.from({ length: 70 }, () => spawn('sleep', ['60'], { stdio: 'ignore' }))
  const exits = children.map((child) => once(child, 'exit'))
  try {
    for (const _ of [1, 2]) {
      for (const { pid } of children) expect(cpuTime(pid!)).toBeGreaterThanOrEqual(0)
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(exits)
  }
})
