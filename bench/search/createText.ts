/** Random numbers from a seed, so that every run has the same messages (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Syllables or characters of which the words of a script are made. The first scripts are the most frequent. */
const scripts = [
  'ba be bi bo ca ce co da de di do fa fe fi ga go ha he ho ka ki la le li lo ma me mi mo na ne no pa pe po ra re ro sa se so ta te to va ve',
  'bä bé çi dö ése fü grö hä îl ñan ø pé rå sé ßu tö ür vé żo',
  'ба ве го да же за ка ло ми но по ра си ту фё хи ча ше эль ся',
  'αλ βη γά δέ ζω θη κα λό με νο πα ρι σύ το φί χω',
  'ب ا ل م ن و ر س ع د ق ك ي ت ح',
  'का मी नु पे रा सो ते वि ला हा',
  '水 木 火 土 金 月 日 午 後 会 議 東 京 大 学 生 先 電 車 時 間',
  'サ ト カ メ の は を に ビ ル ド',
  '서 울 역 에 가 나 다 라 마 바 사 한 국 말',
  'ก า ร น ม ส ว ด เ ข ไ ป',
].map((letters) => letters.split(' '))

/** So many different words; the word at index i is used with a frequency proportional to 1 / (i + 1). */
export function createVocabulary(size: number, random: () => number): string[] {
  const words = new Set<string>()
  while (words.size < size) {
    const which = random() < 0.6 ? 0 : 1 + Math.floor(random() * (scripts.length - 1))
    const letters = scripts[which]!
    const count = 2 + Math.floor(random() * 3)
    let word = ''
    for (let i = 0; i < count; i += 1) word += letters[Math.floor(random() * letters.length)]!
    words.add(word)
  }
  return [...words]
}

/** A rank from 1 to `size`, by Zipf's law. */
export const zipf = (size: number, random: () => number): number =>
  Math.min(size, Math.floor(Math.exp(random() * Math.log(size + 1))))

/** 3 to 28 words, mostly few, some with punctuation, links and code. */
export function createBody(vocabulary: readonly string[], random: () => number): string {
  const count = 3 + Math.floor(random() ** 2 * 26)
  let body = ''
  for (let i = 0; i < count; i += 1) {
    const word = vocabulary[zipf(vocabulary.length, random) - 1]!
    body +=
      (i === 0 ? '' : random() < 0.1 ? ', ' : ' ') + (i === 0 ? word[0]!.toUpperCase() + word.slice(1) : word)
  }
  const kind = random()
  if (kind < 0.05) body += ' https://example.org/page'
  else if (kind < 0.08) body += ' `code`'
  return body
}

const unspaced = /[\u0e00-\u0e7f\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+/gu

/**
 * The text as the oracle compares it, computed by other means than in SQL: lower case, without accents, one space
 * before, between and after words.
 */
export const foldText = (text: string): string =>
  ` ${text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f\u064b-\u0652]/g, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ς', 'σ')
    .replaceAll(unspaced, ' $& ')
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()} `

/** Whether a folded text has a word beginning with `term`, or contains it where its script has no spaces. */
export function hasTerm(folded: string, term: string, isWhole = false): boolean {
  const wanted = foldText(term)
  const begin = /^ [\u0e00-\u0e7f\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]/u.test(wanted)
    ? wanted.trimStart()
    : wanted
  const isOpen =
    !isWhole || /[\u0e00-\u0e7f\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af] $/u.test(begin)
  return folded.includes(isOpen ? begin.trimEnd() : begin)
}
