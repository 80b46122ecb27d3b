import { describe, expect, it } from 'vitest'
import { decodeText } from '../functions/file-texts/decodeText.ts'
import { indexFiles, type Ports } from '../functions/file-texts/indexFiles.ts'
import { readPdf } from '../functions/file-texts/readPdf.ts'
import { splitPassages } from '../functions/file-texts/splitPassages.ts'
import { createPdf } from '../../tests/support/createPdf.ts'

describe('the text of a file', () => {
  it.each<[string, Uint8Array, string | null]>([
    ['UTF-8', Buffer.from('Ærø 水曜'), 'Ærø 水曜'],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffØ'), 'Ø'],
    ['UTF-8, cut within a character', Buffer.from('Ø水').subarray(0, 4), 'Ø'],
    ['UTF-16, little endian', Buffer.from('\ufeffØ水', 'utf16le'), 'Ø水'],
    ['UTF-16, big endian', Buffer.from('\ufeffØ水', 'utf16le').swap16(), 'Ø水'],
    ['windows-1252', Buffer.from([0xc0, 0xe9, 0x20, 0x78]), 'Àé x'],
    ['binary data', Buffer.from('a\0b'), null],
    ['UTF-16 with a NUL', Buffer.from('\ufeffa\0b', 'utf16le'), null],
    ['nothing', Buffer.from(''), ''],
  ])('in %s', (_, bytes, text) => {
    expect(decodeText(bytes)).toBe(text)
  })
})

describe('the text of a PDF', () => {
  const read = (bytes: Uint8Array) => readPdf(new Uint8Array(bytes))

  it('is that of its pages, with words that were divided at the end of a line', async () => {
    const pdf = createPdf([['A light-', 'house, red-', 'Brick'], ['Stra\xdfe (\x93closed\x94)']])
    expect(await read(pdf)).toBe('A lighthouse, red-\nBrick\nStraße (“closed”)\n')
  })

  it('ends with the first 100,000 characters', async () => {
    const pages = Array.from({ length: 30 }, (_, n) =>
      Array.from({ length: 50 }, () => `Page ${n} ${'x'.repeat(90)}`),
    )
    expect((await read(createPdf(pages)))!.length).toBeLessThan(106_000)
  })

  it('is null without a PDF that can be read', async () => {
    const encrypted = createPdf([['A']])
      .toString('latin1')
      .replace('<</Root', '<</Encrypt<</Filter/Standard/V 1/R 2/O(x)/U(y)/P -4>>/Root')
    for (const bytes of [Buffer.from('%PDF-1.4 cut'), Buffer.alloc(1000), Buffer.from(encrypted, 'latin1')])
      expect(await read(bytes)).toBe(null)
    expect(await read(createPdf([[]]))).toBe('\n')
  })
})

describe('passages', () => {
  const sizes = (passages: string[]) => passages.slice(0, -1).map((passage) => passage.length)

  it('are a text in order, on one line each, and end after sentences or between words', () => {
    const text = Array.from({ length: 300 }, (_, n) => `Word${n}${n % 7 === 0 ? '.' : ''}\t\r\n`).join(' ')
    const passages = splitPassages(text)
    expect(passages.join(' ')).toBe(text.replaceAll(/\s+/g, ' ').trim())
    expect(Math.max(...sizes(passages))).toBeLessThanOrEqual(250)
    expect(Math.min(...sizes(passages))).toBeGreaterThanOrEqual(150)
    expect(passages.slice(0, -1).every((passage) => passage.endsWith('.'))).toBe(true)
    expect(splitPassages(' \n\u0007 ')).toEqual([])
  })

  it('divide neither characters nor, where there is punctuation, runs without spaces', () => {
    const emoji = splitPassages(`x${'😀'.repeat(400)}`)
    expect(emoji.join('')).toBe(`x${'😀'.repeat(400)}`)
    expect(emoji.every((passage) => !/\p{Cs}/u.test(passage))).toBe(true)
    expect(splitPassages('水曜の午後は会議、'.repeat(60)).every((passage) => passage.endsWith('、'))).toBe(
      true,
    )
  })

  it('have the first 100,000 characters', () => {
    for (const part of ['word ', 'x', '. ', '。', '\u0000', '😀']) {
      const passages = splitPassages(part.repeat(200_000))
      expect(passages.join(' ').length).toBeLessThanOrEqual(101_000)
      expect(passages.length).toBeLessThan(1000)
    }
  })
})

describe('the function', () => {
  const run = async (files: (string | Error | null)[], kind: 'text' | 'pdf' = 'text') => {
    const done: unknown[] = []
    const ports: Ports = {
      claim: async () => (files.length > 0 ? { job: String(files.length), path: '', kind } : null),
      async fetchFile() {
        const file = files.shift()
        if (file instanceof Error) throw file
        return file === null ? null : new Uint8Array(Buffer.from(file!, 'latin1'))
      },
      store: async (job, passages, isLast) =>
        void done.push(isLast ? [job, passages, isLast] : [job, passages]),
      fail: async (job, problem) => void done.push([job, problem]),
    }
    return [await indexFiles(ports), done]
  }

  it('goes on after a file that does not exist or that could not be fetched', async () => {
    expect(await run(['One', new Error('No storage'), null, 'Two'])).toEqual([
      4,
      [
        ['4', ['One']],
        ['3', 'No storage'],
        ['2', []],
        ['1', ['Two']],
      ],
    ])
  })

  it('reads a bounded number of files, and requests another call with the last of them', async () => {
    const [count, done] = await run(Array.from({ length: 50 }, () => 'One'))
    expect([count, (done as unknown[]).at(-1)]).toEqual([40, ['11', ['One'], true]])
    const pdf = createPdf([['One']]).toString('latin1')
    expect(await run([pdf, pdf], 'pdf')).toEqual([1, [['2', ['One'], true]]])
    expect(await run(['Damaged'], 'pdf')).toEqual([1, [['1', [], true]]])
  })
})
