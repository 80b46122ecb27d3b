import { spawn, type ChildProcess } from 'node:child_process'

/**
 * Reads the process groups that are alive, one line for each change, and kills those of the last line when the pipe is
 * closed.
 */
const script =
  'while read -r line; do groups=$line; done; for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done'

/**
 * Ensures that no worker outlives the server, even if the server is killed while the worker is in an endless loop: a
 * shell reads a pipe from the server and kills the workers when it closes. It runs in a session of its own, so that
 * signals of the terminal do not reach it.
 */
export class OrphanKiller {
  #shell: ChildProcess | null = null
  readonly #groups = new Set<number>()

  add(group: number): void {
    this.#groups.add(group)
    this.#sendGroups()
  }

  remove(group: number): void {
    this.#groups.delete(group)
    this.#sendGroups()
  }

  #sendGroups(): void {
    if (this.#groups.size === 0) {
      this.#shell?.stdin?.end('\n')
      this.#shell = null
      return
    }
    this.#shell ??= this.#startShell()
    this.#shell.stdin?.write(`${[...this.#groups].join(' ')}\n`)
  }

  #startShell(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', script], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: {},
    })
    // Without the shell, workers still exit when their channel closes.
    const clearShell = (): void => {
      if (this.#shell === shell) this.#shell = null
    }
    shell.on('error', clearShell)
    shell.on('exit', clearShell)
    shell.stdin?.on('error', clearShell)
    shell.unref()
    return shell
  }
}
