/** Bits of an ID that are the slot number; the others distinguish its successive values. */
const slotBits = 16
const slotMask = (1 << slotBits) - 1

/**
 * Values in progress, by 32-bit ID. Slots are reused: a Map allocates a new table every few dozen entries, and values
 * that old tables reference are promoted to the old generation instead of being collected cheaply.
 */
export class Slots<T> {
  readonly #values: (T | null)[] = []
  readonly #ids: number[] = []
  readonly #free: number[] = []
  size = 0

  /** Returns the ID of the value, a new one for each value of a slot. */
  add(value: T): number {
    const slot = this.#free.pop() ?? this.#values.length
    if (slot > slotMask) throw new RangeError('too many values')
    const id = (((this.#ids[slot] ?? slot) + slotMask + 1) >>> 0) as number
    this.put(id, value)
    return id
  }

  /** For the side that did not choose the ID. */
  put(id: number, value: T): void {
    const slot = id & slotMask
    while (this.#values.length <= slot) {
      this.#ids.push(this.#values.length)
      this.#values.push(null)
    }
    if (this.#values[slot] === null) this.size++
    this.#values[slot] = value
    this.#ids[slot] = id
  }

  get(id: number): T | undefined {
    const slot = id & slotMask
    return this.#ids[slot] === id ? (this.#values[slot] ?? undefined) : undefined
  }

  delete(id: number): void {
    const slot = id & slotMask
    if (this.#ids[slot] !== id || this.#values[slot] === null) return
    this.#values[slot] = null
    this.#free.push(slot)
    this.size--
  }

  clear(): void {
    for (const id of this.#ids) this.delete(id)
  }

  /** In no particular order. */
  values(): T[] {
    return this.#values.filter((value) => value !== null)
  }
}
