import { array, assert, constantFrom, property } from 'fast-check'
import { isValidElement, type ReactNode } from 'react'
import { nodesOf } from '../../../../wire/body/nodesOf.ts'
import { parseBody } from '../../../../wire/body/parseBody.ts'
import { expect, test } from 'vitest'
import { renderFormula } from './Formula.tsx'
import { limitCost } from './limitCost.ts'

interface Part {
  tag: string
  attributes: Record<string, unknown>
}

function partsOf(node: ReactNode): Part[] {
  if (Array.isArray(node)) return node.flatMap(partsOf)
  if (!isValidElement<{ children?: ReactNode }>(node)) return []
  const { children, ...attributes } = node.props
  const inner = partsOf(children)
  return typeof node.type === 'string' ? [{ tag: node.type, attributes }, ...inner] : inner
}

function formulas(body: string): string[] {
  return [...nodesOf(limitCost(parseBody(body), body))].flatMap((node) =>
    node.type === 'formula' || node.type === 'formulaBlock' ? [node.text] : [],
  )
}

test('TeX becomes MathML, and what cannot be read stays as it is written', () => {
  expect(partsOf(renderFormula(String.raw`\frac{a}{b^2}`, true)).map(({ tag }) => tag)).toEqual(
    expect.arrayContaining(['math', 'mfrac', 'msup', 'mi', 'mn']),
  )
  for (const tex of [
    String.raw`\frac{a`,
    String.raw`\href{javascript:a}{b}`,
    String.raw`\includegraphics{a.png}`,
  ])
    expect(renderFormula(tex, false)).toMatchObject({ type: 'code', props: { children: tex } })
})

test('a formula has no colour, link, event or large space of an author’s choosing', () => {
  const parts =
    String.raw`\color{red}{ \colorbox{blue}{ \rule{999em}{999em} \kern999em \raisebox{99em}{ \htmlStyle{color:red}{
    \htmlId{a}{ \class{a}{ \href{https://a.example}{ \url{a} \text{<script>} \def\a{\a\a} \a \frac \sqrt { } { } a ^ _ & \\
    \begin{matrix} \end{matrix} \left( \right) \boxed{ \cancel{ \tag{1} \Huge \unicode{60} \hspace{9999em} \mathbb{R}`.split(
      /\s+/,
    )
  assert(
    property(array(constantFrom(...parts), { maxLength: 25 }), (all) => {
      for (const { tag, attributes } of partsOf(renderFormula(all.join(' '), false))) {
        expect(tag).toMatch(/^(?:code|math|none|m[a-z]+)$/)
        const { style, className: _class, ...rest } = attributes
        const values = { ...rest, ...(style as object | undefined) }
        expect(Object.keys(values).join(' ')).not.toMatch(/color|background|href|src|on[a-z]+|class|\bid\b/i)
        expect(Object.values(values).join(' ')).not.toMatch(
          /(?<![.\d])(?:[2-9]\d|\d{3,})(?:\.\d+)?em|url|script:/,
        )
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a macro that calls itself ends', () => {
  expect(renderFormula(String.raw`\def\a{\a\a}\a`, false)).toMatchObject({ type: 'code' })
})

test('prices, variables and code are no formulas', () => {
  for (const body of [
    'It costs $5, or $6.',
    '$HOME/$USER',
    '$5-$6',
    'a $ b $ c',
    '`$a$`',
    String.raw`\$a$`,
    'US$a$',
  ])
    expect([body, formulas(body)]).toEqual([body, []])
  for (const body of [
    '$a$',
    'so $x_1 + x_2$.',
    String.raw`$$\sum_i a_i$$`,
    'as in\n$$\na\n+ b\n$$\nshown',
    '| $a$ |\n|-|',
  ])
    expect([body, formulas(body).length]).toEqual([body, 1])
})

test('what follows a formula on its line is no list', () => {
  expect(parseBody('$$a$$ - b').map(({ type }) => type)).toEqual(['paragraph'])
  expect(parseBody('$$a$$\n- b').map(({ type }) => type)).toEqual(['formulaBlock', 'list'])
})

test('a message with more formulas than the page renders in time shows their source', () => {
  expect(formulas('$a$ '.repeat(50))).toHaveLength(50)
  expect(formulas('$a$ '.repeat(51))).toHaveLength(0)
  expect(formulas('| $a$ |\n|-|\n' + '| $b$ |\n'.repeat(60))).toHaveLength(0)
  expect(formulas(`$${'a'.repeat(490)}$ `.repeat(8))).toHaveLength(0)
})
