import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import mulan.data.MultiLabelInstances;
import mulan.sampling.MLSOL;
import mulan.sampling.MLUL;
import mulan.sampling.MultiLabelSampling;

/** Prints the CPU-seconds of Mulan's MLSOL and MLUL on a data set, each the best of some runs. */
public class SamplingTime {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    public static void main(String[] arguments) throws Exception {
        MultiLabelInstances data = new MultiLabelInstances(arguments[0], arguments[1]);
        int repeats = Integer.parseInt(arguments[2]);
        System.out.println(best(new MLSOL(), 0.3, data, repeats) + " " + best(new MLUL(), 0.1, data, repeats));
    }

    private static double best(MultiLabelSampling sampler, double ratio, MultiLabelInstances data, int repeats)
            throws Exception {
        double least = Double.POSITIVE_INFINITY;
        for (int run = 0; run < repeats; run++) {
            sampler.setP(ratio);
            sampler.setSeed(run);
            long start = SYSTEM.getProcessCpuTime();
            sampler.build(data);
            least = Math.min(least, (SYSTEM.getProcessCpuTime() - start) / 1e9);
        }
        return least;
    }
}
