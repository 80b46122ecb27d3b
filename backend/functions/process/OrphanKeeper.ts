import { spawn, type ChildProcess } from 'node:child_process'

/**
 * Reads the groups of processes that are alive, a line each time they change, and ends the last ones named when
 * nobody writes any more.
 */
const script =
  'while read -r line; do groups=$line; done; for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done'

/**
 * Sees to it that no worker outlives the house, also where that is killed outright and the worker is deaf in an
 * endless loop: a small shell holds a pipe to the house and ends them when it closes. It runs in a session of
 * its own, so that what a terminal sends to us does not reach it first.
 */
export class OrphanKeeper {
  #shell: ChildProcess | null = null
  readonly #groups = new Set<number>()

  add(group: number): void {
    this.#groups.add(group)
    this.#tell()
  }

  remove(group: number): void {
    this.#groups.delete(group)
    this.#tell()
  }

  #tell(): void {
    if (this.#groups.size === 0) {
      this.#shell?.stdin?.end('\n')
      this.#shell = null
      return
    }
    this.#shell ??= this.#open()
    this.#shell.stdin?.write(`${[...this.#groups].join(' ')}\n`)
  }

  #open(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', script], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: {},
    })
    // Without a shell workers still end by themselves when their channel closes.
    const forget = (): void => {
      if (this.#shell === shell) this.#shell = null
    }
    shell.on('error', forget)
    shell.on('exit', forget)
    shell.stdin?.on('error', forget)
    shell.unref()
    return shell
  }
}
