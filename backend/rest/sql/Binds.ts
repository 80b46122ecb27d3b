/** Where a parameter's value comes from when the statement is sent. */
export type Bind =
  | { from: 'text'; text: string }
  | { from: 'input'; input: number; as: 'plain' | 'like' | 'list' }
  /** Several values of one variadic argument, as an array. */
  | { from: 'inputs'; inputs: number[] }
  | { from: 'body' }

/** Numbers the parameters of one statement. Values never stand in its text. */
export class Binds {
  readonly list: Bind[] = []

  /** The placeholder of a new parameter: `$1`, `$2`, … */
  add(bind: Bind): string {
    this.list.push(bind)
    return `$${this.list.length}`
  }
}
