import { join } from 'node:path'
import { teeLogger, type Logger } from './logger.ts'
import { openLogFile } from './logFile.ts'
import { createLogTail, type LogTail } from './logTail.ts'

export interface OpenLog {
  /** Writes to the terminal, to the last lines in memory and, once it is open, to the file. */
  log: Logger
  tail: LogTail
  /** Writes to `<dataDir>/logs` from now on. It writes the earlier lines first. */
  writeToFile(dataDir: string): { close(): Promise<void> }
}

/** Opens the log of a server. `terminal` writes to its terminal. */
export function openLog(terminal: Logger): OpenLog {
  const tail = createLogTail()
  return {
    log: teeLogger(terminal, tail.add),
    tail,
    writeToFile(dataDir) {
      const file = openLogFile({
        dir: join(dataDir, 'logs'),
        // To the terminal, since the file can't be written.
        onError: (reason) => terminal.warn('server.log_write_failed', { reason }),
      })
      for (const line of tail.recent()) file.write(line)
      tail.subscribe(file.write)
      return file
    },
  }
}
