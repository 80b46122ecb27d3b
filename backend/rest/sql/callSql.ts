import type { CallPlan } from '../plan/plan.ts'
import type { Parameter } from '../schemaCache/schemaCache.ts'
import { bodySql } from './bodySql.ts'
import { quote, quoteNamed } from './quote.ts'
import type { Binds } from './Binds.ts'

/** The column of a scalar function's result. */
export const SCALAR = 'pgrst_scalar'

/** The SELECT that calls a plan's function, with named arguments. */
export function callSql(plan: CallPlan, binds: Binds): string {
  const { routine, given } = plan
  const parameters = routine.parameters.filter(({ name }) => given.includes(name))
  let source = ''
  let list: string[] = []
  switch (plan.arguments.kind) {
    case 'none':
      break
    case 'body':
      list = [`${binds.add({ from: 'body' })}::${routine.parameters[0]!.type}`]
      break
    case 'json': {
      const { isObject } = plan.arguments
      const columns = parameters.map(({ name, readAs }) => ({ name, type: readAs }))
      source = bodySql({ columns, isObject, defaults: null, isSingle: true }, binds)
      list = parameters.map((parameter) => argumentSql(parameter, `pgrst_body.${quote(parameter.name)}`))
      break
    }
    case 'inputs': {
      const { inputs } = plan.arguments
      list = parameters.map((parameter) =>
        argumentSql(
          parameter,
          `${inputSql(parameter, inputs.get(parameter.name)!, binds)}::${parameter.readAs}`,
        ),
      )
    }
  }
  const call = `${quoteNamed(routine)}(${list.join(', ')})`
  if (!routine.isComposite) return `SELECT ${call} AS ${SCALAR}${source === '' ? '' : ` FROM ${source}`}`
  const columns = plan.returning.length > 0 ? plan.returning.map(resultSql).join(', ') : 'pgrst_call.*'
  const rows = `${call} AS pgrst_call`
  return `SELECT ${columns} FROM ${source === '' ? rows : `${source}, LATERAL ${rows}`}`
}

function resultSql(name: string): string {
  return name === '*' ? 'pgrst_call.*' : `pgrst_call.${quote(name)}`
}

function argumentSql({ name, isVariadic }: Parameter, value: string): string {
  return `${isVariadic ? 'VARIADIC ' : ''}${quote(name)} := ${value}`
}

/** The last value of a repeated argument; all values for a variadic one. */
function inputSql({ isVariadic }: Parameter, inputs: number[], binds: Binds): string {
  if (isVariadic) return binds.add({ from: 'inputs', inputs })
  return binds.add({ from: 'input', input: inputs.at(-1)!, as: 'plain' })
}
