/** The part of a stream that progress uses: `process.stderr`, for example. */
export interface ProgressStream {
  isTTY?: boolean
  /** Width of the terminal. It is read for each line, since a terminal can be resized. */
  columns?: number
  write(text: string): unknown
}

/**
 * Displays the steps of a long command. A step ends with `done`, with `fail` or when the next one begins. On a terminal a step
 * is one line, which is replaced while the step runs. Elsewhere a step is a line when it begins, and another one every ten
 * seconds while it runs. With the format `json`, each event is one line with a JSON object.
 */
export interface Progress {
  /** Begins a step. The title has neither a full stop nor an ellipsis: "Copying files". */
  step(title: string, o?: { totalBytes?: number }): void
  /** Adds to the processed bytes of the current step. */
  advance(bytes: number): void
  /** Ends the current step. The summary replaces the word "done". */
  done(summary?: string): void
  /** Ends the current step as failed. The caller prints the reason. */
  fail(): void
  /** Prints a line, such as a warning, without damage to the line of the current step. */
  print(line: string): void
}

interface Step {
  title: string
  totalBytes: number | null
  bytes: number
  startedAt: number
  /** Processed bytes at earlier times, oldest first, for the rate of the last seconds. */
  samples: { at: number; bytes: number }[]
}

/** Time between two displays of the same step. */
const intervalsMs = { terminal: 100, json: 1_000, plain: 10_000 }
/** The display is also refreshed without new bytes, so that the elapsed time shows that the command has not stopped. */
const refreshIntervalMs = 1_000
const rateWindowMs = 10_000
const sampleIntervalMs = 500
/** No rate is displayed before this time: it would change too much. */
const minRateTimeMs = 2_000
const minElapsedMs = 1_000
const defaultColumns = 80

/** A size in binary units with three digits: "4.00 KiB", "1.20 GiB". */
export function renderSize(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024
    unit++
  }
  return `${unit === 0 || value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${units[unit]}`
}

/** A duration in one or two units: "8 s", "2 min 5 s", "1 h 3 min". */
export function renderSeconds(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}

/** Escape sequences of the terminal: to the start of the line, and erase to its end. */
const eraseLine = '\r\u001b[K'

/** Cuts a text to the width of a terminal, less one column: a full line could wrap and would then not be replaced. */
function fitColumns(text: string, columns: number): string {
  const characters = [...text]
  if (characters.length < columns) return text
  return columns < 2 ? '' : `${characters.slice(0, columns - 2).join('')}…`
}

/** Creates the display of a command's progress. `now` is for tests. */
export function createProgress(o: {
  stream: ProgressStream
  format: 'text' | 'json'
  now?: () => number
}): Progress {
  const { stream, now = () => performance.now() } = o
  const mode = o.format === 'json' ? 'json' : stream.isTTY === true ? 'terminal' : 'plain'
  let current: Step | null = null
  let displayedAt = 0
  let timer: NodeJS.Timeout | null = null

  const writeJson = (event: string, fields: object): void => {
    stream.write(`${JSON.stringify({ event, ...fields })}\n`)
  }

  const elapsedMs = (step: Step): number => now() - step.startedAt

  const addSample = (step: Step): void => {
    const at = now()
    const last = step.samples.at(-1)!
    if (at - last.at < sampleIntervalMs) return
    step.samples.push({ at, bytes: step.bytes })
    while (step.samples.length > 1 && at - step.samples[1]!.at >= rateWindowMs) step.samples.shift()
  }

  /** Bytes per second; null while the step is too short. */
  const rateOf = (step: Step): number | null => {
    const { at, bytes } = step.samples[0]!
    const ms = now() - at
    return ms < minRateTimeMs ? null : ((step.bytes - bytes) * 1_000) / ms
  }

  const secondsLeft = (step: Step, rate: number | null): number | null => {
    if (step.totalBytes === null || rate === null || rate <= 0) return null
    return Math.max(0, step.totalBytes - step.bytes) / rate
  }

  const renderStatus = (step: Step): string => {
    const parts: string[] = []
    if (step.totalBytes === null) {
      if (step.bytes > 0) parts.push(renderSize(step.bytes))
    } else {
      const percent = step.totalBytes === 0 ? 100 : Math.floor((step.bytes / step.totalBytes) * 100)
      parts.push(
        `${Math.min(percent, 100)} %`,
        `${renderSize(step.bytes)} of ${renderSize(Math.max(step.bytes, step.totalBytes))}`,
      )
    }
    const rate = step.bytes > 0 ? rateOf(step) : null
    if (rate !== null) parts.push(`${renderSize(rate)}/s`)
    const left = secondsLeft(step, rate)
    if (left !== null) parts.push(`${renderSeconds(left)} left`)
    else if (elapsedMs(step) >= minElapsedMs) parts.push(renderSeconds(elapsedMs(step) / 1_000))
    return parts.join(', ')
  }

  const replaceLine = (step: Step): void => {
    const status = renderStatus(step)
    const text = `${step.title}…${status === '' ? '' : ` ${status}`}`
    stream.write(`${eraseLine}${fitColumns(text, stream.columns || defaultColumns)}`)
  }

  const display = (step: Step): void => {
    displayedAt = now()
    if (mode === 'terminal') replaceLine(step)
    else if (mode === 'plain') stream.write(`${step.title}: ${renderStatus(step)}\n`)
    else {
      const { title, bytes, totalBytes } = step
      const rate = rateOf(step)
      const left = secondsLeft(step, rate)
      writeJson('progress', {
        title,
        bytes,
        totalBytes,
        bytesPerSecond: rate === null ? null : Math.round(rate),
        secondsLeft: left === null ? null : Math.round(left),
      })
    }
  }

  const displayIfDue = (): void => {
    if (current && now() - displayedAt >= intervalsMs[mode]) display(current)
  }

  const stopTimer = (): void => {
    if (timer) clearInterval(timer)
    timer = null
  }

  const end = (isDone: boolean, summary?: string): void => {
    const step = current
    if (!step) return
    stopTimer()
    current = null
    const seconds = elapsedMs(step) / 1_000
    const { title, bytes } = step
    if (mode === 'json') {
      const fields = { title, bytes, seconds: Math.round(seconds * 1_000) / 1_000 }
      writeJson(isDone ? 'done' : 'failed', summary === undefined ? fields : { ...fields, summary })
      return
    }
    const result = isDone ? (summary ?? 'done') : 'failed'
    const duration = seconds * 1_000 >= minElapsedMs ? ` (${renderSeconds(seconds)})` : ''
    if (mode === 'terminal') stream.write(`${eraseLine}${title}… ${result}${duration}\n`)
    // The line at the beginning suffices for a short step without a result.
    else if (!isDone || summary !== undefined || now() - displayedAt >= intervalsMs.plain)
      stream.write(`${title}: ${result}${duration}\n`)
  }

  return {
    step(title, { totalBytes } = {}) {
      end(true)
      const startedAt = now()
      current = {
        title,
        totalBytes: totalBytes ?? null,
        bytes: 0,
        startedAt,
        samples: [{ at: startedAt, bytes: 0 }],
      }
      displayedAt = startedAt
      if (mode === 'terminal') replaceLine(current)
      else if (mode === 'plain') stream.write(`${title}…\n`)
      else writeJson('step', { title, totalBytes: totalBytes ?? null })
      timer = setInterval(displayIfDue, refreshIntervalMs).unref()
    },
    advance(bytes) {
      if (!current) return
      current.bytes += bytes
      addSample(current)
      displayIfDue()
    },
    done: (summary) => end(true, summary),
    fail: () => end(false),
    print(line) {
      if (mode === 'json') writeJson('message', { text: line })
      else if (mode === 'plain' || !current) stream.write(`${line}\n`)
      else {
        stream.write(`${eraseLine}${line}\n`)
        replaceLine(current)
      }
    },
  }
}
