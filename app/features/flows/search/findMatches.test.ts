import { describe, expect, test } from 'vitest'
import { createMatcher } from './findMatches.ts'

const marked = (text: string, ...words: string[]) => {
  let result = ''
  let at = 0
  for (const [start, end] of createMatcher(words)(text)) {
    result += `${text.slice(at, start)}[${text.slice(start, end)}]`
    at = end
  }
  return result + text.slice(at)
}

describe('matches', () => {
  const cases: [text: string, words: string[], expected: string][] = [
    ['The keys of the van', ['key', 'van'], 'The [key]s of the [van]'],
    ['monkey KEYS', ['key'], 'monkey [KEY]S'],
    ['key_key.key', ['key'], '[key]_[key].[key]'],
    ['Tomás und Größe', ['tomas', 'grosse'], '[Tomás] und [Größe]'],
    ['Cafe\u0301 bar', ['cafe', 'bar'], '[Cafe\u0301] [bar]'],
    ['消防安全演習', ['防安', '安全'], '消[防安全]演習'],
    ['한국어를 배워요', ['국어'], '한[국어]를 배워요'],
    ['ខ្ញុំចូលចិត្តភាសាខ្មែរ', ['ភាសាខ្មែរ'], 'ខ្ញុំចូលចិត្ត[ភាសាខ្មែរ]'],
    ['ភ្នំ\u200Bពេញ ភពញ', ['ភ្នំពេញ'], '[ភ្នំ\u200Bពេញ] ភពញ'],
    ['ང་བོད་སྐད་ཤེས', ['སྐད'], 'ང་བོད་[སྐད]་ཤེས'],
    ['done🎉party', ['🎉'], 'done[🎉]party'],
    ['ใช้งานdeployแล้ว', ['deploy'], 'ใช้งาน[deploy]แล้ว'],
    ['C, C++ and C#', ['c++', 'c#'], 'C, [C++] and [C#]'],
    ['A fire-alarm, fire, alarms', ['fire alarm'], 'A [fire-alarm], [fire, alarm]s'],
    ['ＡＢＣ abc', ['abc'], '[ＡＢＣ] [abc]'],
    ['a+b (c) $1', ['1', 'c'], 'a+b ([c]) $[1]'],
    ['🙂 keys 🙂', ['keys'], '🙂 [keys] 🙂'],
    ['anything', [], 'anything'],
    ['anything', [''], 'anything'],
    ['deploy deployment', ['deploy', 'deployment'], '[deploy] [deployment]'],
  ]
  test.each(cases)('%s: %s', (text, words, expected) => {
    expect(marked(text, ...words)).toBe(expected)
  })
})

test('words with signs of regular expressions are literal', () => {
  expect(marked('a.b axb', 'a.b')).toBe('[a.b] axb')
  expect(marked('x (y) [z]', '(y)', '[z]')).toBe('x [(y)] [[z]]')
})
