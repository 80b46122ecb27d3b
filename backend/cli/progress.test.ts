import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createProgress, renderSeconds, renderSize, type Progress } from './progress.ts'

const MiB = 1_024 * 1_024

let written = ''
let time = 0
beforeEach(() => {
  vi.useFakeTimers()
  written = ''
  time = 0
})
afterEach(() => vi.useRealTimers())

const create = (o: { isTTY?: boolean; columns?: number; format?: 'text' | 'json' }): Progress => {
  const { format = 'text', ...stream } = o
  const write = (text: string): void => void (written += text)
  return createProgress({ stream: { ...stream, write }, format, now: () => time })
}

const wait = (ms: number): void => {
  time += ms
  vi.advanceTimersByTime(ms)
}

/** Processes bytes at a constant rate in steps of 100 ms. */
const transfer = (progress: Progress, bytesPerSecond: number, seconds: number): void => {
  for (let n = 0; n < seconds * 10; n++) {
    time += 100
    progress.advance(bytesPerSecond / 10)
    vi.advanceTimersByTime(100)
  }
}

/** What a terminal shows: the text of each line after its last replacement. */
const screen = (): string[] => written.split('\n').map((line) => line.split('\r\u001b[K').at(-1)!)

describe('on a terminal', () => {
  it('replaces the line of a step, with rate and remaining time, and ends it with the duration', () => {
    const progress = create({ isTTY: true, columns: 100 })
    progress.step('Copying files', { totalBytes: 100 * MiB })
    expect(screen()).toEqual(['Copying files… 0 %, 0 bytes of 100 MiB'])
    transfer(progress, 10 * MiB, 4)
    expect(screen()).toEqual(['Copying files… 40 %, 40.0 MiB of 100 MiB, 10.0 MiB/s, 6 s left'])
    transfer(progress, 10 * MiB, 6)
    progress.done()
    expect(screen()).toEqual(['Copying files… done (10 s)', ''])
  })

  it('calculates the rate from the last ten seconds', () => {
    const progress = create({ isTTY: true, columns: 100 })
    progress.step('Copying files', { totalBytes: 1_000 * MiB })
    transfer(progress, 20 * MiB, 20)
    transfer(progress, 1 * MiB, 11)
    expect(screen()[0]).toContain('1.00 MiB/s, 9 min')
  })

  it.each([1, 2, 10, 20, 40])('never fills a line of %i columns', (columns) => {
    const progress = create({ isTTY: true, columns })
    progress.step('Copying the files of every workspace', { totalBytes: 100 * MiB })
    transfer(progress, 10 * MiB, 5)
    for (const line of written.split('\r\u001b[K')) expect([...line].length).toBeLessThan(columns)
  })

  it('assumes 80 columns if the terminal reports no width', () => {
    const progress = create({ isTTY: true, columns: 0 })
    progress.step('x'.repeat(200))
    expect(screen()).toEqual([`${'x'.repeat(78)}…`])
  })

  it('shows the elapsed time of a step without bytes', () => {
    const progress = create({ isTTY: true, columns: 80 })
    progress.step('Building the application')
    wait(65_000)
    expect(screen()).toEqual(['Building the application… 1 min 5 s'])
    progress.fail()
    expect(screen()).toEqual(['Building the application… failed (1 min 5 s)', ''])
  })

  it('writes at most ten times a second', () => {
    const progress = create({ isTTY: true, columns: 80 })
    progress.step('Copying files')
    for (let n = 0; n < 1_000; n++) {
      time += 1
      progress.advance(1)
    }
    expect(written.split('\r\u001b[K').length).toBeLessThanOrEqual(12)
  })

  it('prints a line above the current step', () => {
    const progress = create({ isTTY: true, columns: 80 })
    progress.step('Migrating the database')
    progress.print('A warning.')
    expect(screen()).toEqual(['A warning.', 'Migrating the database…'])
    progress.step('Next')
    expect(screen()).toEqual(['A warning.', 'Migrating the database… done', 'Next…'])
  })

  it('shows more bytes than were expected as 100 %', () => {
    const progress = create({ isTTY: true, columns: 100 })
    progress.step('Copying files', { totalBytes: MiB })
    transfer(progress, MiB, 3)
    expect(screen()).toEqual(['Copying files… 100 %, 3.00 MiB of 3.00 MiB, 1.00 MiB/s, 0 s left'])
  })
})

describe('without a terminal', () => {
  it('writes one line for each step and one every ten seconds', () => {
    const progress = create({})
    progress.step('Installing packages')
    progress.step('Copying files', { totalBytes: 200 * MiB })
    transfer(progress, 5 * MiB, 25)
    progress.done('125 MiB')
    progress.step('Checking')
    wait(500)
    progress.fail()
    expect(written.trimEnd().split('\n')).toEqual([
      'Installing packages…',
      'Copying files…',
      'Copying files: 25 %, 50.0 MiB of 200 MiB, 5.00 MiB/s, 30 s left',
      'Copying files: 50 %, 100 MiB of 200 MiB, 5.00 MiB/s, 20 s left',
      'Copying files: 125 MiB (25 s)',
      'Checking…',
      'Checking: failed',
    ])
    expect(written).not.toContain('\r')
  })
})

describe('as JSON', () => {
  it('writes one object a line, at most one a second', () => {
    const progress = create({ format: 'json', isTTY: true })
    progress.step('Copying files', { totalBytes: 10 * MiB })
    transfer(progress, 2 * MiB, 3)
    progress.print('A warning.')
    progress.done('all')
    const events = written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events).toEqual([
      { event: 'step', title: 'Copying files', totalBytes: 10 * MiB },
      expect.objectContaining({ event: 'progress', bytesPerSecond: null, secondsLeft: null }),
      expect.objectContaining({ event: 'progress', title: 'Copying files', totalBytes: 10 * MiB }),
      expect.objectContaining({ event: 'progress' }),
      { event: 'message', text: 'A warning.' },
      { event: 'done', title: 'Copying files', bytes: expect.any(Number), seconds: 3, summary: 'all' },
    ])
    expect(events[3].secondsLeft).toBe(2)
  })
})

it('renders sizes and durations', () => {
  expect([0, 999, 1_000, 1_536, 5 * MiB, 123 * MiB, 1_200 * MiB].map(renderSize)).toEqual([
    '0 bytes',
    '999 bytes',
    '1000 bytes',
    '1.50 KiB',
    '5.00 MiB',
    '123 MiB',
    '1.17 GiB',
  ])
  expect([0.4, 8, 59.6, 125, 3_780].map(renderSeconds)).toEqual([
    '0 s',
    '8 s',
    '1 min 0 s',
    '2 min 5 s',
    '1 h 3 min',
  ])
})
