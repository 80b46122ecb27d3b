// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { common } from 'lowlight'
import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Code } from './Code.tsx'
import HighlightedCode from './HighlightedCode.tsx'
import { limitCost } from './limitCost.ts'
import { nodesOf } from '../../../../wire/body/nodesOf.ts'
import { parseBody } from '../../../../wire/body/parseBody.ts'
import { fillText } from '../../../../wire/body/testing/adversarialText.ts'

/** What grammars begin, end, nest or look ahead for, and what would be dangerous as HTML. */
const UNITS =
  '( [ { < " ` / /* <!-- ${ `${ #{ a( a: <a> <?php $( () [[ r#" <<A {% template< <script> <img/src=a/onerror=alert(1)> </pre> &lt;'
const units = [...UNITS.split(' '), 'a b', 'typename ', 'a\n']

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
}

/** The longest code that is highlighted. */
const LONGEST = 2_000

const languagesOf = (body: string): string[] =>
  [...nodesOf(limitCost(parseBody(body), body))].flatMap((node) =>
    node.type === 'codeBlock' ? [node.language] : [],
  )

describe('highlighted code', () => {
  it.each(Object.keys(common))('in %s is the text that was written, whatever it is', (language) => {
    const isChanged = (text: string): boolean => {
      const html = renderToStaticMarkup(<HighlightedCode text={text} language={language} />)
      // The only elements are these, which contain no others; everything else is text that React has escaped.
      const escaped = html.replaceAll(/<span class="[\w -]*">([^<]*)<\/span>/g, '$1')
      return /[<>]/.test(escaped) || escaped.replaceAll(/&[^;]*;/g, (name) => ENTITIES[name]!) !== text
    }
    expect(units.filter((unit) => isChanged(fillText(unit, LONGEST)))).toEqual([])
  })

  it('is limited to 2,000 characters in a message, however many blocks it has', () => {
    const block = (length: number): string => `\`\`\`js\n${fillText('a(', length)}\n\`\`\`\n\n`
    expect(languagesOf(block(LONGEST))).toEqual(['js'])
    expect(languagesOf(block(LONGEST + 1))).toEqual([''])
    expect(languagesOf(block(1_000) + block(1_000))).toEqual(['js', 'js'])
    expect(languagesOf(block(1_000) + block(1_001))).toEqual(['', ''])
    // Also in lists.
    const inList = block(LONGEST).trim().replaceAll('\n', '\n  ')
    expect(languagesOf(`- ${inList}`)).toEqual(['js'])
    expect(languagesOf(`- ${inList}\n- ${inList}`)).toEqual(['', ''])
  })
})

describe('a block of code', () => {
  let root: Root
  let page: HTMLElement
  beforeEach(() => {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
    i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
    page = document.body.appendChild(document.createElement('main'))
    root = createRoot(page)
  })
  afterEach(() => {
    root.unmount()
    page.remove()
  })
  const tokens = (): number => page.querySelectorAll('code span').length

  it('is shown before it is highlighted', async () => {
    flushSync(() => root.render(<Code text="let first = 1" language="js" />))
    await expect.poll(tokens).toBeGreaterThan(0)
    // The highlighter is loaded: a page of messages appears without waiting for it.
    const texts = Array.from({ length: 50 }, (_, index) => `let a${index} = "b"`)
    flushSync(() => root.render(texts.map((text) => <Code key={text} text={text} language="js" />)))
    expect([...page.querySelectorAll('pre')].map(({ textContent }) => textContent)).toEqual(texts)
    expect(tokens()).toBe(0)
    await expect.poll(tokens).toBe(100)
  })

  it('of an unknown language is text', async () => {
    const text = '<b>bold</b> &amp;'
    flushSync(() => root.render(<Code text={text} language="constructor" />))
    await Promise.resolve()
    expect(page.querySelector('pre')!.textContent).toBe(text)
    expect(tokens()).toBe(0)
  })
})
