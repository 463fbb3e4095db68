/** A bell that one sleeper waits for; rung while nobody sleeps, it is heard at the next wait. */
export interface Signal {
  set(): void;
  wait(timeoutMs: number): Promise<void>;
}

export function createSignal(): Signal {
  let rung = false;
  let wakeUp: (() => void) | undefined;
  return {
    set: () => {
      rung = true;
      wakeUp?.();
    },
    wait: async (timeoutMs) => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
      wakeUp = undefined;
    },
  };
}
