/** The result of a task, or that of `late` when it takes longer than this many ms. The task continues in that case. */
export async function within<T, L>(ms: number, task: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([task, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
