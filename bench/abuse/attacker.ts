import { serveTasks } from '../load/serveTasks.ts'
import { attacks, type Attacker, type AttackName, type Target } from './attacks.ts'

export interface AttackTask {
  names: AttackName[]
  target: Target
  part: Attacker['part']
  ms: number
  /** Of one core, that this process may use. */
  maxCores: number
}

export interface AttackResult {
  counts: Attacker['counts']
  cpuMs: number
}

/** Below this, nothing is held back: a process that has just begun has done nothing but start. */
const freeCpuMs = 100

/** A process that makes a part of the load of attacks, within its share of a core. */
export function main(): Promise<number> {
  return serveTasks<AttackTask, AttackResult>(async ({ names, target, part, ms, maxCores }) => {
    const cpuBefore = process.cpuUsage()
    const begun = performance.now()
    const cpuMs = (): number => {
      const { user, system } = process.cpuUsage(cpuBefore)
      return (user + system) / 1000
    }
    const end = new AbortController()
    const attacker: Attacker = {
      target,
      part,
      signal: end.signal,
      sockets: new Set(),
      isOverBudget: () => cpuMs() > freeCpuMs + (performance.now() - begun) * maxCores,
      counts: { sent: 0, answered: 0, refused: 0 },
    }
    setTimeout(() => end.abort(), ms)
    await Promise.all(names.map((name) => attacks[name].run(attacker)))
    const { counts } = attacker
    const result = { counts: { ...counts }, cpuMs: cpuMs() }
    for (const socket of attacker.sockets) socket.destroy()
    return result
  })
}
