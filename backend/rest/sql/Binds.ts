/** Source of a parameter's value. */
export type Bind =
  | { from: 'text'; text: string }
  | { from: 'input'; input: number; as: 'plain' | 'like' | 'list' }
  /** Values of a variadic argument, as an array. */
  | { from: 'inputs'; inputs: number[] }
  | { from: 'body' }

/** Collects the parameters of one statement. Its text never contains values. */
export class Binds {
  readonly list: Bind[] = []

  /** Adds a parameter and returns its placeholder: `$1`, `$2`, … */
  add(bind: Bind): string {
    this.list.push(bind)
    return `$${this.list.length}`
  }
}
