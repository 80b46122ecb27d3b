import { join } from 'node:path'
import { teeLogger, type Logger } from './log.ts'
import { openLogFile } from './logFile.ts'
import { createLogTail, type LogTail } from './logTail.ts'

export interface OpenLog {
  /** What is said here reaches the terminal, the tail and, once it is kept, the file. */
  log: Logger
  tail: LogTail
  /** From now on, and for what was said before, in `<dataDir>/logs`. */
  writeToFile(dataDir: string): { close(): Promise<void> }
}

/** The log of a house, above the one that writes to its terminal. */
export function openLog(terminal: Logger): OpenLog {
  const tail = createLogTail()
  return {
    log: teeLogger(terminal, tail.add),
    tail,
    writeToFile(dataDir) {
      const file = openLogFile({
        dir: join(dataDir, 'logs'),
        // Not into the file that can't be written.
        onError: (reason) => terminal.warn('log file not written', { reason }),
      })
      for (const line of tail.recent()) file.write(line)
      tail.subscribe(file.write)
      return file
    },
  }
}
